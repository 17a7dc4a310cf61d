#!/usr/bin/env bash
# Tests a PyTorch environment on a compute node and leaves a report. Written by Torch Setup.
#     sbatch THIS-FILE    queues it
#     bash THIS-FILE      runs it by srun and waits
@DIRECTIVES@
set -u
executable=@EXECUTABLE@
program=(@PROGRAM@)
prefix=@PREFIX@
reports=@REPORTS@
options=(@OPTIONS@)
@HOME@
# Set in a batch script and by srun, but not in the shell that salloc leaves on the login node.
if [ -z "${SLURM_PROCID:-}" ]; then
    exec srun "${options[@]}" bash "${BASH_SOURCE[0]}"
fi

if [ ! -x "$executable" ]; then
    printf '%s\n' @MISSING@ >&2
    exit 1
fi
report="$reports/torch-verify-${SLURM_JOB_ID:-0}"
status=0
"${program[@]}" verify --prefix "$prefix" --json --save "$report.html" >"$report.json" || status=$?
if [ "$status" -ne 0 ]; then
    # The cause, and the smallest repair.
    "${program[@]}" doctor --prefix "$prefix" --save "$report-doctor.html" || true
fi
printf '%s %s\n' @REPORT@ "$report.html"
exit "$status"
