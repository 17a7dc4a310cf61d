#!/bin/sh
# Puts Torch Setup into this user's menu, and takes it out again with --remove. No administrator, nothing copied:
# the program stays in this folder. Environments and downloads are left alone either way.
set -eu
here=$(dirname "$(readlink -f "$0")")
data=${XDG_DATA_HOME:-$HOME/.local/share}
commands=$HOME/.local/bin
entry=$data/applications/torch-setup.desktop
icon=$data/icons/hicolor/scalable/apps/torch-setup.svg
type=$data/mime/packages/torch-setup.xml
command=$commands/torch-wizard

say() { # English, Chinese
    case ${TORCH_WIZARD_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in
        zh*) printf '%s\n' "$2" ;;
        *) printf '%s\n' "$1" ;;
    esac
}

refresh() {
    if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$data/applications" || true; fi
    if command -v update-mime-database >/dev/null && [ -d "$data/mime/packages" ]; then
        update-mime-database "$data/mime" || true
    fi
}

is_ours() { [ -L "$command" ] && case $(readlink "$command") in */torch-wizard) true ;; *) false ;; esac; }

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$icon" "$type"
    if is_ours; then rm -f "$command"; fi
    refresh
    say "Torch Setup is out of the menu. This folder, your environments and downloads are still there." \
        "已从菜单中移除 Torch Setup。此文件夹、您的环境和下载内容均已保留。"
    exit 0
fi
[ $# -eq 0 ] || { say "Usage: install.sh [--remove]" "用法：install.sh [--remove]" >&2; exit 2; }

mkdir -p "$data/applications" "${icon%/*}" "${type%/*}" "$commands"
cp "$here/share/icons/hicolor/scalable/apps/torch-setup.svg" "$icon"
cp "$here/share/mime/packages/torch-setup.xml" "$type"
# A path in a menu entry: quoted, with \ before \ " ` $, %% for %, and as text every \ doubled.
quoted=$(printf '%s' "$here/torch-wizard" | sed 's/[\\"`$]/\\&/g; s/%/%%/g; s/\\/\\\\/g')
escaped=$(printf '%s' "$quoted" | sed 's/[\\&|]/\\&/g') # for sed's own replacement
sed "s|^Exec=torch-wizard|Exec=\"$escaped\"|" "$here/share/applications/torch-setup.desktop" > "$entry"
if is_ours || [ ! -e "$command" ]; then ln -sfn "$here/torch-wizard" "$command"; fi
refresh
say "Torch Setup is in the menu now, and as the command torch-wizard in $commands. Take both back with: $here/install.sh --remove" \
    "Torch Setup 已加入菜单，并可在 $commands 中以命令 torch-wizard 启动。撤销：$here/install.sh --remove"
