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

function global:deactivate ([switch]$NonDestructive) {
    if (Test-Path -Path Env:_TORCH_SETUP_OLD_PATH) {
        _torch_setup_scripts 'deactivate.d'
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

_torch_setup_scripts 'activate.d'
