# What the module torch_setup does on Linux, for win_powershell: runs the program and tells Ansible what came of it.
# The last event on stdout says how it went.
[CmdletBinding(SupportsShouldProcess)]
param(
    [string]$State,
    [string[]]$Program,
    [string]$Environment,
    [string[]]$Words,
    [string]$DataFolder,
    [string]$GpuTest
)

$Ansible.Changed = $false
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
if ($DataFolder) { $env:TORCH_WIZARD_HOME = $DataFolder }
$command = $Program[0]
$first = @($Program | Select-Object -Skip 1)

function Invoke-Setup([string[]]$More) {
    $last = $null
    foreach ($line in (& $command @first @Words @More)) {
        try { $one = $line | ConvertFrom-Json } catch { continue }
        if (@('unchanged', 'planned', 'refused', 'run-finished') -contains $one.event) { $last = $one }
    }
    $last
}

if ($State -eq 'absent') {
    if (-not $Environment) { throw 'To delete an environment, give its name or its folder.' }
    $rows = (& $command @first envs list --json | Out-String | ConvertFrom-Json).environments
    $found = @($rows | Where-Object { $_.name -eq $Environment -or $_.prefix -eq $Environment })
    if ($found.Count -gt 1) { throw "Several environments are called $Environment; give the folder." }
    if ($found.Count -eq 1) {
        $Ansible.Changed = $true
        if (-not $Ansible.CheckMode) {
            & $command @first envs delete $found[0].prefix --yes $found[0].name | Out-Null
            if ($LASTEXITCODE -ne 0) { throw "$Environment could not be deleted." }
        }
    }
    return
}

$how = if ($Ansible.CheckMode) { '--dry-run' } else { '--yes' }
$told = Invoke-Setup @($how)
if ($told.error.code -eq 'target-unfinished' -and -not $Ansible.CheckMode) {
    & $command @first runs --remove $told.error.params.run | Out-Null
    $told = Invoke-Setup @($how)
}
$status = $LASTEXITCODE
$Ansible.Result = $told
$Ansible.Changed = @('planned', 'run-finished') -contains $told.event
if ($told.event -eq 'unchanged') { $status = $told.status }
if ($told.event -eq 'refused' -or $null -eq $told -or ($told.event -eq 'run-finished' -and @(0, 3) -notcontains $status)) {
    throw ('{0} {1}' -f $told.error.summary, $told.error.hint)
}
if ($status -eq 3 -and $GpuTest -eq 'required' -and -not $Ansible.CheckMode) {
    & $command @first verify --prefix $told.prefix --json | Out-Null
    if ($LASTEXITCODE -ne 0) { throw 'The environment is there; its test on the graphics card did not pass.' }
}
