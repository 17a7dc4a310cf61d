@echo off
rem Switches this environment off in the command prompt.

if not defined _TORCH_SETUP_OLD_PATH exit /b 0
if exist "%CONDA_PREFIX%\etc\conda\deactivate.d\*.bat" for %%S in ("%CONDA_PREFIX%\etc\conda\deactivate.d\*.bat") do call "%%~S"
if defined _TORCH_SETUP_STATE for /f "usebackq delims=" %%L in (`""%CONDA_PREFIX%\python.exe" -I "%~dp0state_variables.py" lines-off"`) do set "%%L"

set "PATH=%_TORCH_SETUP_OLD_PATH%"
set "PROMPT=%_TORCH_SETUP_OLD_PROMPT%"
set "CONDA_PREFIX=%_TORCH_SETUP_OLD_PREFIX%"
set "CONDA_DEFAULT_ENV=%_TORCH_SETUP_OLD_NAME%"
set "PYTHONHOME=%_TORCH_SETUP_OLD_PYTHONHOME%"
set "_TORCH_SETUP_OLD_PATH="
set "_TORCH_SETUP_OLD_PROMPT="
set "_TORCH_SETUP_OLD_PREFIX="
set "_TORCH_SETUP_OLD_NAME="
set "_TORCH_SETUP_OLD_PYTHONHOME="
exit /b 0
