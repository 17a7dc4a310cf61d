#!/bin/sh
# Starts Torch Setup, or says in one sentence why it cannot run here: the program itself would only name a symbol.
# Without arguments it opens the window; `torch-wizard --help` names the rest.
floor=@FLOOR@
path=${PATH-}
PATH=$path:/usr/bin:/bin # for the few questions asked here; the program gets what it was given
here=$(dirname "$(readlink -f "$0")")

say() { # English, Chinese
    case ${TORCH_WIZARD_LANG:-${LC_ALL:-${LC_MESSAGES:-$LANG}}} in
        zh*) text=$2 ;;
        *) text=$1 ;;
    esac
    printf '%s\n' "$text" >&2
    # Started from a menu, nobody sees a terminal.
    if [ ! -t 2 ] && [ -n "$DISPLAY$WAYLAND_DISPLAY" ]; then
        if command -v zenity >/dev/null; then zenity --error --text="$text"
        elif command -v kdialog >/dev/null; then kdialog --error "$text"
        elif command -v notify-send >/dev/null; then notify-send "Torch Setup" "$text"
        fi
    fi
    exit 1
}

machine=$(uname -m 2>/dev/null || echo @MACHINE@)
[ "$machine" = @MACHINE@ ] || say \
    "This Torch Setup is for processors of the kind @MACHINE@, and this computer has $machine. Start it from its source there: python3 start.py." \
    "此 Torch Setup 适用于 @MACHINE@ 处理器，而这台电脑是 $machine。请从源代码启动：python3 start.py。"

have=$(getconf GNU_LIBC_VERSION 2>/dev/null)
have=${have#glibc }
case $have in
    [0-9]*.[0-9]*)
        major=${have%%.*} minor=${have#*.} minor=${minor%%[!0-9]*}
        if [ "$major" -lt "${floor%%.*}" ] || { [ "$major" -eq "${floor%%.*}" ] && [ "$minor" -lt "${floor#*.}" ]; }; then
            say "This Linux is too old for this Torch Setup: it has glibc $have, and $floor or newer is needed. Use a newer release of your Linux, or start from the source: python3 start.py." \
                "此 Linux 系统过旧，无法运行此 Torch Setup：系统的 glibc 为 $have，需要 $floor 或更新版本。请使用更新的 Linux 发行版，或从源代码启动：python3 start.py。"
        fi
        ;;
    *)
        case $(ldd --version 2>&1) in
            *musl*) say \
                "This Linux uses musl, and Torch Setup and PyTorch need glibc $floor or newer. Use a Linux with glibc, for example Debian, Ubuntu or Fedora." \
                "此 Linux 使用 musl，而 Torch Setup 和 PyTorch 需要 glibc $floor 或更新版本。请使用带有 glibc 的 Linux，例如 Debian、Ubuntu 或 Fedora。" ;;
        esac
        ;;
esac

PATH=$path
exec "$here/program/torch-wizard" "$@"
