# Switches this environment on in PowerShell:
#     & 'C:\folder\of\the\environment\Scripts\Activate.ps1'
# "deactivate" switches it off again. No conda is needed; with one, "conda activate" does the same.

function global:_torch_setup_scripts ([string]$Folder) {
    # What packages of the environment want to be done; $Folder is activate.d or deactivate.d.
    $place = [IO.Path]::Combine($Env:CONDA_PREFIX, 'etc', 'conda', $Folder)
    if (Test-Path -LiteralPath $place) {
        Get-ChildItem -LiteralPath $place -Filter '*.ps1' | ForEach-Object { . $_.FullName }
    }
}

function global:_torch_setup_variables ([string]$Kind) {
    # Sets what lines of NAME=VALUE say; an empty value takes a variable away.
    foreach ($line in @(& $global:_torch_setup_python -I $global:_torch_setup_state $Kind)) {
        $name, $value = $line -split '=', 2
        if ($name) { [Environment]::SetEnvironmentVariable($name, $value) }
    }
}

function global:deactivate ([switch]$NonDestructive) {
    if (Test-Path -Path Env:_TORCH_SETUP_OLD_PATH) {
        _torch_setup_scripts 'deactivate.d'
        if ($Env:_TORCH_SETUP_STATE) { _torch_setup_variables 'lines-off' }
        $Env:PATH = $Env:_TORCH_SETUP_OLD_PATH
        Remove-Item -Path Env:_TORCH_SETUP_OLD_PATH
        # An empty value takes a variable away.
        $Env:CONDA_PREFIX = $Env:_TORCH_SETUP_OLD_PREFIX
        $Env:CONDA_DEFAULT_ENV = $Env:_TORCH_SETUP_OLD_NAME
        $Env:_TORCH_SETUP_OLD_PREFIX = ''
        $Env:_TORCH_SETUP_OLD_NAME = ''
    }
    if (Test-Path -Path Env:_TORCH_SETUP_OLD_PYTHONHOME) {
        $Env:PYTHONHOME = $Env:_TORCH_SETUP_OLD_PYTHONHOME
        Remove-Item -Path Env:_TORCH_SETUP_OLD_PYTHONHOME
    }
    if (Test-Path -Path Function:_torch_setup_old_prompt) {
        Copy-Item -Path Function:_torch_setup_old_prompt -Destination Function:prompt
        Remove-Item -Path Function:_torch_setup_old_prompt
    }
    if (-not $NonDestructive) {
        Remove-Item -Path Function:deactivate
        Remove-Item -Path Function:_torch_setup_scripts
        Remove-Item -Path Function:_torch_setup_variables
    }
}

deactivate -NonDestructive

$Env:_TORCH_SETUP_OLD_PATH = $Env:PATH
$Env:_TORCH_SETUP_OLD_PREFIX = $Env:CONDA_PREFIX
$Env:_TORCH_SETUP_OLD_NAME = $Env:CONDA_DEFAULT_ENV
$Env:CONDA_PREFIX = Split-Path -Parent $PSScriptRoot
$Env:CONDA_DEFAULT_ENV = $Env:CONDA_PREFIX

$folders = @('', 'Library\mingw-w64\bin', 'Library\usr\bin', 'Library\bin', 'Scripts', 'bin')
if ((Split-Path -Leaf $PSScriptRoot) -eq 'bin') { $folders = @('bin') }
$places = $folders | ForEach-Object { if ($_) { Join-Path $Env:CONDA_PREFIX $_ } else { $Env:CONDA_PREFIX } }
$Env:PATH = (@($places) + $Env:PATH) -join [IO.Path]::PathSeparator

if (Test-Path -Path Env:PYTHONHOME) {
    $Env:_TORCH_SETUP_OLD_PYTHONHOME = $Env:PYTHONHOME
    Remove-Item -Path Env:PYTHONHOME
}

if (-not $Env:VIRTUAL_ENV_DISABLE_PROMPT) {
    function global:_torch_setup_old_prompt { '' }
    Copy-Item -Path Function:prompt -Destination Function:_torch_setup_old_prompt
    function global:prompt {
        Write-Host -NoNewline "($(Split-Path -Leaf $Env:CONDA_PREFIX)) "
        _torch_setup_old_prompt
    }
}

# What `conda env config vars set` keeps; the values from before come back with "deactivate".
$global:_torch_setup_python = if ($folders.Count -eq 1) { 'bin/python' } else { 'python.exe' }
$global:_torch_setup_python = [IO.Path]::Combine($Env:CONDA_PREFIX, $global:_torch_setup_python)
$global:_torch_setup_state = [IO.Path]::Combine($PSScriptRoot, 'state_variables.py')
if (Test-Path -LiteralPath ([IO.Path]::Combine($Env:CONDA_PREFIX, 'conda-meta', 'state'))) {
    _torch_setup_variables 'lines'
}

_torch_setup_scripts 'activate.d'
