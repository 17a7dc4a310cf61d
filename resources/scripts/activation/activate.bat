@echo off
rem Switches this environment on in the command prompt: type the path of this file. "deactivate" switches it off.
rem No conda is needed; with one, "conda activate" does the same. No path is written here: it follows from the file's.

if defined _TORCH_SETUP_OLD_PATH call "%~dp0deactivate.bat"

set "_TORCH_SETUP_OLD_PATH=%PATH%"
set "_TORCH_SETUP_OLD_PROMPT=%PROMPT%"
set "_TORCH_SETUP_OLD_PREFIX=%CONDA_PREFIX%"
set "_TORCH_SETUP_OLD_NAME=%CONDA_DEFAULT_ENV%"
set "_TORCH_SETUP_OLD_PYTHONHOME=%PYTHONHOME%"
set "PYTHONHOME="

for %%I in ("%~dp0..") do set "CONDA_PREFIX=%%~fI"
for %%I in ("%~dp0..") do set "_TORCH_SETUP_NAME=%%~nxI"
set "CONDA_DEFAULT_ENV=%CONDA_PREFIX%"
set "PATH=%CONDA_PREFIX%\bin;%PATH%"
set "PATH=%CONDA_PREFIX%\Scripts;%PATH%"
set "PATH=%CONDA_PREFIX%\Library\bin;%PATH%"
set "PATH=%CONDA_PREFIX%\Library\usr\bin;%PATH%"
set "PATH=%CONDA_PREFIX%\Library\mingw-w64\bin;%PATH%"
set "PATH=%CONDA_PREFIX%;%PATH%"
if not defined PROMPT set "PROMPT=$P$G"
if not defined VIRTUAL_ENV_DISABLE_PROMPT set "PROMPT=(%_TORCH_SETUP_NAME%) %PROMPT%"
set "_TORCH_SETUP_NAME="

rem What "conda env config vars set" keeps; deactivate.bat brings back what was there.
if exist "%CONDA_PREFIX%\conda-meta\state" for /f "usebackq delims=" %%L in (`""%CONDA_PREFIX%\python.exe" -I "%~dp0state_variables.py" lines"`) do set "%%L"

if exist "%CONDA_PREFIX%\etc\conda\activate.d\*.bat" for %%S in ("%CONDA_PREFIX%\etc\conda\activate.d\*.bat") do call "%%~S"
