; The installer for Windows: one user, no administrator. Compiled by `python resources/installer/build.py windows`,
; which says VERSION, VERSION_FOUR, PAYLOAD (the frozen folder), OUTPUT, ICON, SIDE (a picture), SIZE_KB, and TARGET where a 64-bit NSIS is there.
;
; Silent: TorchSetup-…-windows-x86_64.exe /S [/LANG=2052] [/D=C:\Some\Folder]   (/D= last, without quotes)
; Exit status: 0 done, 1 cancelled, 2 failed, 4 the program is running, 5 the folder belongs to something else,
; 6 this Windows is too old. Of a silent uninstall by the registry's QuietUninstallString: 0 done, 4 the program is running
; and everything is as before. (`uninstall.exe /S` alone answers 0 at once: it goes on in a copy of itself.)
;
; An upgrade puts the old program aside, unpacks the new one and only then deletes the old; when that fails, the old one
; comes back. Nothing that the user keeps lies in this folder.

Unicode true
!ifdef TARGET
  Target ${TARGET}
!endif
!include MUI2.nsh
!include LogicLib.nsh
!include WinVer.nsh
!include x64.nsh
!include FileFunc.nsh

!define PRODUCT "Torch Setup"
!define KEY "TorchSetup"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${KEY}"
!define CLASS "TorchSetup.ClassProfile"
!define MARK "installed-by-torch-setup.txt"
!define ASIDE "previous-version"

Name "${PRODUCT}"
OutFile "${OUTPUT}"
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS Win10
SetCompressor /SOLID lzma
!ifdef SIGN ; a command; with a certificate the installer and the uninstaller are signed as the programs are
  !uninstfinalize '${SIGN} "%1"' = 0
  !finalize '${SIGN} "%1"' = 0
!endif
InstallDir "$LOCALAPPDATA\Programs\${KEY}"
InstallDirRegKey HKCU "${UNINSTALL_KEY}" "InstallLocation"
Caption "${PRODUCT} ${VERSION}"
BrandingText "${PRODUCT} ${VERSION}"
AllowSkipFiles off
ShowInstDetails nevershow
ShowUninstDetails nevershow

VIProductVersion "${VERSION_FOUR}"
VIAddVersionKey "ProductName" "${PRODUCT}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${PRODUCT} ${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT licence"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${SIDE}"
!define MUI_WELCOMEFINISHPAGE_BITMAP_STRETCH AspectFitHeight
!define MUI_ABORTWARNING
!define MUI_CUSTOMFUNCTION_ABORT OnCancel
!define MUI_COMPONENTSPAGE_SMALLDESC
!define MUI_WELCOMEPAGE_TITLE "${PRODUCT} ${VERSION}"
!define MUI_WELCOMEPAGE_TEXT "$(WELCOME)"
!define MUI_FINISHPAGE_TITLE "$(DONE)"
!define MUI_FINISHPAGE_TEXT "$(DONE_TEXT)"
!define MUI_FINISHPAGE_RUN "$INSTDIR\TorchSetup.exe"
!define MUI_FINISHPAGE_NOREBOOTSUPPORT
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_COMPONENTS
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE CheckFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH

UninstPage custom un.ShowWhatGoes un.TakeChoices
!insertmacro MUI_UNPAGE_INSTFILES

!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

LangString WELCOME ${LANG_ENGLISH} "This puts ${PRODUCT} ${VERSION} on this computer, for you only. No administrator is needed.$\r$\n$\r$\n${PRODUCT} then sets up PyTorch for your graphics card. PyTorch itself (1 to 3 GB) is downloaded when you ask for it, not now.$\r$\n$\r$\nAn older version is replaced. Your environments and downloads stay."
LangString WELCOME ${LANG_SIMPCHINESE} "即将把 ${PRODUCT} ${VERSION} 安装到这台电脑，仅供您本人使用，不需要管理员权限。$\r$\n$\r$\n之后 ${PRODUCT} 会为您的显卡安装 PyTorch。PyTorch 本身（1 到 3 GB）在您需要时才下载，现在不会下载。$\r$\n$\r$\n旧版本会被替换，您的环境和下载内容会保留。"
LangString DONE ${LANG_ENGLISH} "${PRODUCT} is on this computer"
LangString DONE ${LANG_SIMPCHINESE} "${PRODUCT} 已安装到这台电脑"
LangString DONE_TEXT ${LANG_ENGLISH} "Start it now to set up PyTorch for your graphics card, or later from the Start menu."
LangString DONE_TEXT ${LANG_SIMPCHINESE} "现在启动即可为您的显卡安装 PyTorch，也可以稍后从“开始”菜单启动。"
LangString PART_PROGRAM ${LANG_ENGLISH} "The program"
LangString PART_PROGRAM ${LANG_SIMPCHINESE} "程序"
LangString PART_MENU ${LANG_ENGLISH} "Entry in the Start menu"
LangString PART_MENU ${LANG_SIMPCHINESE} "“开始”菜单项"
LangString PART_DESKTOP ${LANG_ENGLISH} "Entry on the desktop"
LangString PART_DESKTOP ${LANG_SIMPCHINESE} "桌面快捷方式"
LangString PART_FILES ${LANG_ENGLISH} "Open .torchlab files"
LangString PART_FILES ${LANG_SIMPCHINESE} "打开 .torchlab 文件"
LangString ABOUT_PROGRAM ${LANG_ENGLISH} "The window, the command torch-wizard, and all they need."
LangString ABOUT_PROGRAM ${LANG_SIMPCHINESE} "图形窗口、torch-wizard 命令，以及它们所需的全部文件。"
LangString ABOUT_MENU ${LANG_ENGLISH} "Torch Setup in the Start menu."
LangString ABOUT_MENU ${LANG_SIMPCHINESE} "在“开始”菜单中添加 Torch Setup。"
LangString ABOUT_DESKTOP ${LANG_ENGLISH} "Torch Setup on the desktop."
LangString ABOUT_DESKTOP ${LANG_SIMPCHINESE} "在桌面上添加 Torch Setup。"
LangString ABOUT_FILES ${LANG_ENGLISH} "A double click on a class profile of a teacher opens it in Torch Setup."
LangString ABOUT_FILES ${LANG_SIMPCHINESE} "双击老师发来的班级配置文件，即可用 Torch Setup 打开。"
LangString CLASS_NAME ${LANG_ENGLISH} "Torch Setup class profile"
LangString CLASS_NAME ${LANG_SIMPCHINESE} "Torch Setup 班级配置文件"
LangString IS_RUNNING ${LANG_ENGLISH} "Torch Setup is running, or is still setting up an environment. Close it, or wait until it is done, then press Retry."
LangString IS_RUNNING ${LANG_SIMPCHINESE} "Torch Setup 正在运行，或仍在安装环境。请将其关闭或等待完成，然后点击“重试”。"
LangString NOT_OURS ${LANG_ENGLISH} "This folder holds other things, and Torch Setup wants one of its own. Choose an empty folder, or a new one inside it."
LangString NOT_OURS ${LANG_SIMPCHINESE} "此文件夹中已有其他内容，而 Torch Setup 需要单独的文件夹。请选择一个空文件夹，或在其中新建一个。"
LangString TOO_OLD ${LANG_ENGLISH} "Torch Setup needs 64-bit Windows 10 (version 1809) or newer, and this Windows is older. Update Windows, then start this again."
LangString TOO_OLD ${LANG_SIMPCHINESE} "Torch Setup 需要 64 位 Windows 10（版本 1809）或更新版本，而此 Windows 版本过旧。请更新 Windows 后重试。"
LangString NOT_WRITTEN ${LANG_ENGLISH} "The files could not be written: the disk is full, or the folder is protected. What was there before is back. Free some space or choose another folder, then start this again."
LangString NOT_WRITTEN ${LANG_SIMPCHINESE} "无法写入文件：磁盘已满或文件夹受保护。原有内容已恢复。请腾出空间或选择其他文件夹，然后重试。"
LangString GO_TITLE ${LANG_ENGLISH} "Remove ${PRODUCT}"
LangString GO_TITLE ${LANG_SIMPCHINESE} "卸载 ${PRODUCT}"
LangString GO_SUBTITLE ${LANG_ENGLISH} "What goes, and what stays."
LangString GO_SUBTITLE ${LANG_SIMPCHINESE} "将删除和保留的内容。"
LangString GO_GOES ${LANG_ENGLISH} "These go:"
LangString GO_GOES ${LANG_SIMPCHINESE} "将删除："
LangString GO_LIST ${LANG_ENGLISH} "the program in $INSTDIR$\r$\nits entries in the Start menu, on the desktop and in the list of apps$\r$\nthe link from .torchlab files to it"
LangString GO_LIST ${LANG_SIMPCHINESE} "位于 $INSTDIR 的程序$\r$\n“开始”菜单、桌面和应用列表中的条目$\r$\n.torchlab 文件与本程序的关联"
LangString GO_STAYS ${LANG_ENGLISH} "These stay, unless you tick them:"
LangString GO_STAYS ${LANG_SIMPCHINESE} "除非勾选，否则保留："
LangString GO_DATA ${LANG_ENGLISH} "Downloads, caches, reports and settings: $LOCALAPPDATA\torch-setup"
LangString GO_DATA ${LANG_SIMPCHINESE} "下载内容、缓存、报告和设置：$LOCALAPPDATA\torch-setup"
LangString GO_ENVS ${LANG_ENGLISH} "PyTorch environments, with everything in them: $PROFILE\torch-envs"
LangString GO_ENVS ${LANG_SIMPCHINESE} "PyTorch 环境及其中的全部文件：$PROFILE\torch-envs"
LangString GO_MORE ${LANG_ENGLISH} "Environments in other folders, and what TORCH_WIZARD_HOME names, stay in any case. So does the way back from changed pip, uv and conda settings, unless the first box is ticked."
LangString GO_MORE ${LANG_SIMPCHINESE} "位于其他文件夹的环境以及 TORCH_WIZARD_HOME 指定的内容始终保留。除非勾选第一项，pip、uv 和 conda 设置的还原记录也会保留。"
LangString GO_SURE ${LANG_ENGLISH} "Delete $PROFILE\torch-envs with all environments and all files in them? This cannot be undone."
LangString GO_SURE ${LANG_SIMPCHINESE} "确定删除 $PROFILE\torch-envs 及其中所有环境和文件吗？此操作无法撤销。"
LangString REMOVE ${LANG_ENGLISH} "&Remove"
LangString REMOVE ${LANG_SIMPCHINESE} "卸载(&R)"

; Ends with a word and an exit status; silent installs see the status only.
!macro Refuse STATUS TEXT
  SetErrorLevel ${STATUS}
  MessageBox MB_OK|MB_ICONSTOP "${TEXT}" /SD IDOK
  Quit
!macroend

; $R9 = 1 where a program of $INSTDIR cannot be opened for writing: that is how Windows keeps a running one.
!macro LookForRunning UN
Function ${UN}LookForRunning
  StrCpy $R9 0
  FindFirst $R8 $R7 "$INSTDIR\*.exe"
  ${DoWhile} $R7 != ""
    ${If} $R7 != "uninstall.exe"
      ClearErrors
      FileOpen $R6 "$INSTDIR\$R7" a
      ${If} ${Errors}
        StrCpy $R9 1
      ${Else}
        FileClose $R6
      ${EndIf}
    ${EndIf}
    FindNext $R8 $R7
  ${Loop}
  FindClose $R8
FunctionEnd

Function ${UN}WaitUntilItEnded
  ${Do}
    Call ${UN}LookForRunning
    ${If} $R9 == 0
      ${ExitDo}
    ${EndIf}
    SetErrorLevel 4
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IS_RUNNING)" /SD IDCANCEL IDRETRY +2
    Quit
  ${Loop}
  SetErrorLevel 0
FunctionEnd

Function ${UN}TakeLanguage
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/LANG=" $R1
  ${IfNot} ${Errors}
    StrCpy $LANGUAGE $R1
  ${EndIf}
FunctionEnd
!macroend
!insertmacro LookForRunning ""
!insertmacro LookForRunning "un."

Function .onInit
  SetRegView 64
  Call TakeLanguage
  ${IfNot} ${RunningX64}
    !insertmacro Refuse 6 "$(TOO_OLD)"
  ${EndIf}
  ${IfNot} ${AtLeastWin10}
  ${OrIfNot} ${AtLeastBuild} 17763
    !insertmacro Refuse 6 "$(TOO_OLD)"
  ${EndIf}
  ${If} ${Silent}
    Call LookAtFolder
    ${If} $R9 != 0
      SetErrorLevel 5
      Quit
    ${EndIf}
    Call WaitUntilItEnded
  ${EndIf}
FunctionEnd

Function OnCancel
  SetErrorLevel 1
FunctionEnd

; $R9 = 1 for a folder that is neither new nor empty nor ours.
Function LookAtFolder
  StrCpy $R9 0
  ${If} ${FileExists} "$INSTDIR\*.*"
  ${AndIfNot} ${FileExists} "$INSTDIR\${MARK}"
    FindFirst $R8 $R7 "$INSTDIR\*.*"
    ${DoWhile} $R7 != ""
      ${If} $R7 != "."
      ${AndIf} $R7 != ".."
        StrCpy $R9 1
      ${EndIf}
      FindNext $R8 $R7
    ${Loop}
    FindClose $R8
  ${ElseIf} ${FileExists} "$INSTDIR"
  ${AndIfNot} ${FileExists} "$INSTDIR\*.*"
    StrCpy $R9 1 ; a file
  ${EndIf}
FunctionEnd

Function CheckFolder
  Call LookAtFolder
  ${If} $R9 != 0
    MessageBox MB_OK|MB_ICONEXCLAMATION "$(NOT_OURS)"
    Abort
  ${EndIf}
FunctionEnd

; The old program goes aside in one piece; ASIDE of an upgrade that was cut off holds the one that worked.
Function PutAside
  ${If} ${FileExists} "$INSTDIR\${ASIDE}\*.*"
    Call TakeBack
  ${EndIf}
  CreateDirectory "$INSTDIR\${ASIDE}"
  FindFirst $R8 $R7 "$INSTDIR\*.*"
  ${DoWhile} $R7 != ""
    Call IsOurs
    ${If} $R5 == 1
      ClearErrors
      Rename "$INSTDIR\$R7" "$INSTDIR\${ASIDE}\$R7"
      ${If} ${Errors}
        FindClose $R8
        Call TakeBack
        !insertmacro Refuse 4 "$(IS_RUNNING)"
      ${EndIf}
    ${EndIf}
    FindNext $R8 $R7
  ${Loop}
  FindClose $R8
FunctionEnd

; What any version has ever put at the top; the user's own files are none of these.
!macro IsOurs UN
Function ${UN}IsOurs
  StrCpy $R5 0
  ${If} $R7 == "_internal"
  ${OrIf} $R7 == "TorchSetup.exe"
  ${OrIf} $R7 == "torch-wizard.exe"
    StrCpy $R5 1
  ${EndIf}
FunctionEnd
!macroend
!insertmacro IsOurs ""

Function TakeBack
  FindFirst $R4 $R7 "$INSTDIR\${ASIDE}\*.*"
  ${DoWhile} $R7 != ""
    Call IsOurs
    ${If} $R5 == 1
      RMDir /r "$INSTDIR\$R7"
      Delete "$INSTDIR\$R7"
      Rename "$INSTDIR\${ASIDE}\$R7" "$INSTDIR\$R7"
    ${EndIf}
    FindNext $R4 $R7
  ${Loop}
  FindClose $R4
  RMDir "$INSTDIR\${ASIDE}"
FunctionEnd

; Disk full, or a folder that may not be written to: what was there before is there again.
Function .onInstFailed
  SetOutPath "$TEMP"
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\TorchSetup.exe"
  Delete "$INSTDIR\torch-wizard.exe"
  Call TakeBack
  ${IfNot} ${FileExists} "$INSTDIR\uninstall.exe"
    Delete "$INSTDIR\${MARK}"
    RMDir "$INSTDIR"
  ${EndIf}
  SetErrorLevel 2
  MessageBox MB_OK|MB_ICONSTOP "$(NOT_WRITTEN)" /SD IDOK
FunctionEnd

Section "$(PART_PROGRAM)" PROGRAM
  SectionIn RO
  Call WaitUntilItEnded
  CreateDirectory "$INSTDIR"
  ClearErrors
  FileOpen $0 "$INSTDIR\${MARK}" w
  ${If} ${Errors}
    Abort "$(NOT_WRITTEN)"
  ${EndIf}
  FileWrite $0 "${PRODUCT} ${VERSION}$\r$\n"
  FileClose $0
  Call PutAside
  SetOutPath "$INSTDIR"
  File /r "${PAYLOAD}\*" ; when it cannot write: .onInstFailed
  RMDir /r "$INSTDIR\${ASIDE}"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "${PRODUCT}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\TorchSetup.exe,0"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "${PRODUCT}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$SYSDIR\cmd.exe" /d /s /c "copy /y "$INSTDIR\uninstall.exe" "%TEMP%\${KEY}-uninstall.exe" >nul && "%TEMP%\${KEY}-uninstall.exe" /S _?=$INSTDIR"'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
SectionEnd

Section "$(PART_MENU)" MENU
  CreateShortCut "$SMPROGRAMS\${PRODUCT}.lnk" "$INSTDIR\TorchSetup.exe"
SectionEnd

Section "$(PART_DESKTOP)" DESKTOP
  CreateShortCut "$DESKTOP\${PRODUCT}.lnk" "$INSTDIR\TorchSetup.exe"
SectionEnd

Section "$(PART_FILES)" FILES
  WriteRegStr HKCU "Software\Classes\${CLASS}" "" "$(CLASS_NAME)"
  WriteRegStr HKCU "Software\Classes\${CLASS}\DefaultIcon" "" "$INSTDIR\TorchSetup.exe,0"
  WriteRegStr HKCU "Software\Classes\${CLASS}\shell\open\command" "" '"$INSTDIR\TorchSetup.exe" window "%1"'
  WriteRegStr HKCU "Software\Classes\.torchlab\OpenWithProgids" "${CLASS}" ""
  ReadRegStr $0 HKCU "Software\Classes\.torchlab" ""
  ${If} $0 == "" ; another program's choice is not taken from it: ours is offered beside it
    WriteRegStr HKCU "Software\Classes\.torchlab" "" "${CLASS}"
  ${EndIf}
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${PROGRAM} "$(ABOUT_PROGRAM)"
  !insertmacro MUI_DESCRIPTION_TEXT ${MENU} "$(ABOUT_MENU)"
  !insertmacro MUI_DESCRIPTION_TEXT ${DESKTOP} "$(ABOUT_DESKTOP)"
  !insertmacro MUI_DESCRIPTION_TEXT ${FILES} "$(ABOUT_FILES)"
!insertmacro MUI_FUNCTION_DESCRIPTION_END

Var DataBox
Var EnvsBox
Var TakeData
Var TakeEnvs

Function un.onInit
  SetRegView 64
  Call un.TakeLanguage
  StrCpy $TakeData 0
  StrCpy $TakeEnvs 0
  ${If} ${Silent}
    Call un.WaitUntilItEnded
  ${EndIf}
FunctionEnd

Function un.ShowWhatGoes
  !insertmacro MUI_HEADER_TEXT "$(GO_TITLE)" "$(GO_SUBTITLE)"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 0u 100% 10u "$(GO_GOES)"
  Pop $0
  ${NSD_CreateLabel} 10u 11u -10u 40u "$(GO_LIST)"
  Pop $0
  ${NSD_CreateLabel} 0 55u 100% 10u "$(GO_STAYS)"
  Pop $0
  ${NSD_CreateCheckbox} 10u 66u -10u 18u "$(GO_DATA)"
  Pop $DataBox
  ${NSD_AddStyle} $DataBox ${BS_MULTILINE}
  ${NSD_CreateCheckbox} 10u 85u -10u 18u "$(GO_ENVS)"
  Pop $EnvsBox
  ${NSD_AddStyle} $EnvsBox ${BS_MULTILINE}
  ${NSD_CreateLabel} 0 107u 100% 32u "$(GO_MORE)"
  Pop $0
  ${IfNot} ${FileExists} "$LOCALAPPDATA\torch-setup\*.*"
    EnableWindow $DataBox 0
  ${EndIf}
  ${IfNot} ${FileExists} "$PROFILE\torch-envs\*.*"
    EnableWindow $EnvsBox 0
  ${EndIf}
  GetDlgItem $0 $HWNDPARENT 1
  SendMessage $0 ${WM_SETTEXT} 0 "STR:$(REMOVE)"
  nsDialogs::Show
FunctionEnd

Function un.TakeChoices
  ${NSD_GetState} $DataBox $TakeData
  ${NSD_GetState} $EnvsBox $TakeEnvs
  ${If} $TakeEnvs == ${BST_CHECKED}
    MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "$(GO_SURE)" IDYES +2
    Abort
  ${EndIf}
FunctionEnd

; Not RMDir /r: that goes through junctions, and an environment may hold one to somebody's data.
!macro DeleteTree PATH
  ${If} ${FileExists} "${PATH}\*.*"
    nsExec::Exec '"$SYSDIR\cmd.exe" /d /c rmdir /s /q "\\?\${PATH}"'
    Pop $0
  ${EndIf}
!macroend

Section "un.Program"
  Call un.WaitUntilItEnded
  SetOutPath "$TEMP"
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\${ASIDE}"
  Delete "$INSTDIR\TorchSetup.exe"
  Delete "$INSTDIR\torch-wizard.exe"
  Delete "$INSTDIR\uninstall.exe"
  Delete "$INSTDIR\${MARK}"
  RMDir "$INSTDIR" ; stays where the user has put something of their own into it
  RMDir "$LOCALAPPDATA\Programs" ; goes when it is empty
  Delete "$SMPROGRAMS\${PRODUCT}.lnk"
  Delete "$DESKTOP\${PRODUCT}.lnk"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  DeleteRegKey HKCU "Software\Classes\${CLASS}"
  DeleteRegValue HKCU "Software\Classes\.torchlab\OpenWithProgids" "${CLASS}"
  DeleteRegKey /ifempty HKCU "Software\Classes\.torchlab\OpenWithProgids"
  ReadRegStr $0 HKCU "Software\Classes\.torchlab" ""
  ${If} $0 == "${CLASS}"
    DeleteRegValue HKCU "Software\Classes\.torchlab" ""
  ${EndIf}
  DeleteRegKey /ifempty HKCU "Software\Classes\.torchlab"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
  ${If} $TakeData == ${BST_CHECKED}
    !insertmacro DeleteTree "$LOCALAPPDATA\torch-setup"
  ${EndIf}
  ${If} $TakeEnvs == ${BST_CHECKED}
    !insertmacro DeleteTree "$PROFILE\torch-envs"
  ${EndIf}
SectionEnd
