# Switches this environment off in csh and tcsh; the alias "deactivate" of activate.csh sources it.

if ($?_TORCH_SETUP_OLD_PATH) then
    if (-d "$CONDA_PREFIX/etc/conda/deactivate.d") then
        set _torch_setup_back = "$cwd" # in backquotes a path with quotes cannot be named
        chdir "$CONDA_PREFIX/etc/conda/deactivate.d"
        set _torch_setup_names = ("`/bin/ls`")
        chdir "$_torch_setup_back"
        foreach _torch_setup_script ($_torch_setup_names:q)
            if ("$_torch_setup_script" =~ *.csh) then
                source "$CONDA_PREFIX/etc/conda/deactivate.d/$_torch_setup_script"
            endif
        end
        unset _torch_setup_script _torch_setup_names _torch_setup_back
    endif
    if ($?_TORCH_SETUP_STATE_OFF) then
        eval "$_TORCH_SETUP_STATE_OFF"
        unset _TORCH_SETUP_STATE_OFF
    endif
    setenv PATH "$_TORCH_SETUP_OLD_PATH"
    unset _TORCH_SETUP_OLD_PATH
    unsetenv CONDA_PREFIX
    unsetenv CONDA_DEFAULT_ENV
    if ($?_TORCH_SETUP_OLD_PREFIX) then
        setenv CONDA_PREFIX "$_TORCH_SETUP_OLD_PREFIX"
        unset _TORCH_SETUP_OLD_PREFIX
    endif
    if ($?_TORCH_SETUP_OLD_NAME) then
        setenv CONDA_DEFAULT_ENV "$_TORCH_SETUP_OLD_NAME"
        unset _TORCH_SETUP_OLD_NAME
    endif
    if ($?_TORCH_SETUP_OLD_PYTHONHOME) then
        setenv PYTHONHOME "$_TORCH_SETUP_OLD_PYTHONHOME"
        unset _TORCH_SETUP_OLD_PYTHONHOME
    endif
    if ($?_TORCH_SETUP_OLD_PROMPT) then
        set prompt = "$_TORCH_SETUP_OLD_PROMPT"
        unset _TORCH_SETUP_OLD_PROMPT
    endif
    unalias deactivate
    rehash
endif
