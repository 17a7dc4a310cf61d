# Switches this environment on in fish. It must be sourced, not run:
#     source bin/activate.fish
# "deactivate" switches it off again. No conda is needed; with one, "conda activate" does the same.

if set -q VIRTUAL_ENV; and functions -q deactivate # one at a time
    deactivate
end

function _torch_setup_scripts
    # What packages of the environment want to be done; $argv[1] is activate.d or deactivate.d.
    for script in $CONDA_PREFIX/etc/conda/$argv[1]/*.fish
        source $script
    end
end

function deactivate
    if set -q _TORCH_SETUP_OLD_PATH
        _torch_setup_scripts deactivate.d
        if set -q _TORCH_SETUP_STATE_OFF
            eval $_TORCH_SETUP_STATE_OFF
            set -e _TORCH_SETUP_STATE_OFF
        end
        set -gx PATH $_TORCH_SETUP_OLD_PATH
        set -e _TORCH_SETUP_OLD_PATH
        if set -q _TORCH_SETUP_OLD_PREFIX
            set -gx CONDA_PREFIX $_TORCH_SETUP_OLD_PREFIX
        else
            set -e CONDA_PREFIX
        end
        if set -q _TORCH_SETUP_OLD_NAME
            set -gx CONDA_DEFAULT_ENV $_TORCH_SETUP_OLD_NAME
        else
            set -e CONDA_DEFAULT_ENV
        end
        set -e _TORCH_SETUP_OLD_PREFIX
        set -e _TORCH_SETUP_OLD_NAME
    end
    if set -q _TORCH_SETUP_OLD_PYTHONHOME
        set -gx PYTHONHOME $_TORCH_SETUP_OLD_PYTHONHOME
        set -e _TORCH_SETUP_OLD_PYTHONHOME
    end
    if functions -q _torch_setup_old_prompt
        functions -e fish_prompt
        functions -c _torch_setup_old_prompt fish_prompt
        functions -e _torch_setup_old_prompt
    end
    if test "$argv[1]" != nondestructive
        functions -e deactivate _torch_setup_scripts
    end
end

deactivate nondestructive

set -g _TORCH_SETUP_OLD_PATH $PATH
if set -q CONDA_PREFIX
    set -g _TORCH_SETUP_OLD_PREFIX $CONDA_PREFIX
end
if set -q CONDA_DEFAULT_ENV
    set -g _TORCH_SETUP_OLD_NAME $CONDA_DEFAULT_ENV
end
set -gx CONDA_PREFIX @PREFIX@
set -gx CONDA_DEFAULT_ENV $CONDA_PREFIX
set -gx PATH $CONDA_PREFIX/bin $PATH

if set -q PYTHONHOME
    set -g _TORCH_SETUP_OLD_PYTHONHOME $PYTHONHOME
    set -e PYTHONHOME
end

if test -z "$VIRTUAL_ENV_DISABLE_PROMPT"; and functions -q fish_prompt
    functions -c fish_prompt _torch_setup_old_prompt
    function fish_prompt
        set -l last $status
        printf '%s' @NAME@
        sh -c "exit $last"
        _torch_setup_old_prompt
    end
end

if test -r $CONDA_PREFIX/conda-meta/state # what `conda env config vars set` keeps
    eval ($CONDA_PREFIX/bin/python -I $CONDA_PREFIX/bin/state_variables.py fish | string collect)
end
_torch_setup_scripts activate.d
