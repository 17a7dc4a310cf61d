/* What venv copies into an environment as python.exe: starts the Python which pyvenv.cfg names as `home`, with the
   same arguments, and tells it by __PYVENV_LAUNCHER__ in which environment it is. Both end together. */
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

#define MOST 32768
static wchar_t self[MOST], settings[MOST], program[MOST], line[2 * MOST];

static int fail(int status, const wchar_t *what) {
    fwprintf(stderr, L"venv launcher: %ls (%lu)\n", what, GetLastError());
    return status;
}

static FILE *opened_above(int levels) {
    wcscpy(settings, self);
    while (levels--) *wcsrchr(settings, L'\\') = 0;
    wcscat(settings, L"\\pyvenv.cfg");
    return _wfopen(settings, L"r, ccs=UTF-8");
}

static wchar_t *after_program(wchar_t *command) {
    int quoted = 0;
    for (; *command && (quoted || *command != L' '); command++) quoted ^= *command == L'"';
    return command;
}

int wmain(void) {
    GetModuleFileNameW(NULL, self, MOST);
    FILE *file = opened_above(2);
    if (!file && !(file = opened_above(1))) return fail(106, L"no pyvenv.cfg");
    while (!*program && fgetws(line, MOST, file)) swscanf(line, L"home = %32000l[^\r\n]", program);
    fclose(file);
    wcscat(wcscat(program, L"\\"), NAME);
    swprintf(line, 2 * MOST, L"\"%ls\"%ls", program, after_program(GetCommandLineW()));
    SetEnvironmentVariableW(L"__PYVENV_LAUNCHER__", self);

    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    HANDLE job = CreateJobObjectW(NULL, NULL);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    STARTUPINFOW start;
    PROCESS_INFORMATION child;
    DWORD status;
    GetStartupInfoW(&start);
    if (!CreateProcessW(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) return fail(101, program);
    AssignProcessToJobObject(job, child.hProcess);
    WaitForSingleObject(child.hProcess, INFINITE);
    GetExitCodeProcess(child.hProcess, &status);
    return status;
}
