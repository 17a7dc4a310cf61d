# Switches this environment on in csh and tcsh. It must be sourced, not run:
#     source bin/activate.csh
# "deactivate" switches it off again. No conda is needed; with one, "conda activate" does the same.

if ($?VIRTUAL_ENV || $?_TORCH_SETUP_OLD_PATH) then # one at a time
    set _torch_setup_alias = "`alias deactivate`"
    if ("$_torch_setup_alias" != "") then
        deactivate
    endif
    unset _torch_setup_alias
endif

set _TORCH_SETUP_OLD_PATH = "$PATH"
if ($?CONDA_PREFIX) then # in one line csh would look for the variable before it asks whether there is one
    set _TORCH_SETUP_OLD_PREFIX = "$CONDA_PREFIX"
endif
if ($?CONDA_DEFAULT_ENV) then
    set _TORCH_SETUP_OLD_NAME = "$CONDA_DEFAULT_ENV"
endif
setenv CONDA_PREFIX @PREFIX@
setenv CONDA_DEFAULT_ENV "$CONDA_PREFIX"
setenv PATH "$CONDA_PREFIX/bin:$PATH"

if ($?PYTHONHOME) then
    set _TORCH_SETUP_OLD_PYTHONHOME = "$PYTHONHOME"
    unsetenv PYTHONHOME
endif

if (! $?VIRTUAL_ENV_DISABLE_PROMPT && $?prompt) then
    set _TORCH_SETUP_OLD_PROMPT = "$prompt"
    set prompt = @NAME@"$prompt"
endif

if (-r "$CONDA_PREFIX/conda-meta/state") then # what `conda env config vars set` keeps
    set _torch_setup_back = "$cwd"
    chdir "$CONDA_PREFIX/bin"
    set _torch_setup_code = "`./python -I state_variables.py csh`"
    chdir "$_torch_setup_back"
    eval "$_torch_setup_code"
    unset _torch_setup_code _torch_setup_back
endif

if (-d "$CONDA_PREFIX/etc/conda/activate.d") then
    set _torch_setup_back = "$cwd" # in backquotes a path with quotes cannot be named
    chdir "$CONDA_PREFIX/etc/conda/activate.d"
    set _torch_setup_names = ("`/bin/ls`")
    chdir "$_torch_setup_back"
    foreach _torch_setup_script ($_torch_setup_names:q)
        if ("$_torch_setup_script" =~ *.csh) then
            source "$CONDA_PREFIX/etc/conda/activate.d/$_torch_setup_script"
        endif
    end
    unset _torch_setup_script _torch_setup_names _torch_setup_back
endif

alias deactivate 'source "$CONDA_PREFIX/bin/deactivate.csh"'
rehash
