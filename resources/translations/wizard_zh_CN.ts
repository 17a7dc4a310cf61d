<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AskBar</name>
    <message>
        <source>The setup is still running.</source>
        <translation>安装仍在进行。</translation>
    </message>
    <message>
        <source>It can go on without this window; the next start shows it again.</source>
        <translation>关闭窗口后它会继续进行，下次启动时会再次显示。</translation>
    </message>
    <message>
        <source>Close &amp;window, let it run</source>
        <translation>关闭窗口，让它继续(&amp;W)</translation>
    </message>
    <message>
        <source>Close &amp;window and end it</source>
        <translation>关闭窗口并结束(&amp;W)</translation>
    </message>
    <message>
        <source>Cancel the set&amp;up</source>
        <translation>取消安装(&amp;U)</translation>
    </message>
    <message>
        <source>Sta&amp;y</source>
        <translation>留在这里(&amp;Y)</translation>
    </message>
    <message>
        <source>Closing the window stops it. What has been fetched is kept for the next time.</source>
        <translation>关闭窗口会使它停止。已经下载的内容会保留，下次可继续使用。</translation>
    </message>
    <message>
        <source>The pack is still being built.</source>
        <translation>课堂包还在制作中。</translation>
    </message>
    <message>
        <source>Closing the window ends that. What others have fetched from here stays theirs.</source>
        <translation>关闭窗口后就不再提供。其他电脑已经取得的文件不受影响。</translation>
    </message>
    <message>
        <source>This computer is serving the class.</source>
        <translation>这台电脑正在为班级提供文件。</translation>
    </message>
</context>
<context>
    <name>BuildGrid</name>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>适用</translation>
    </message>
</context>
<context>
    <name>BuildPage</name>
    <message>
        <source>The build for this computer</source>
        <translation>适合这台电脑的版本</translation>
    </message>
    <message>
        <source>A build is one ready-made PyTorch. This one fits your card and driver; any ticked cell can be taken, too.</source>
        <translation>一个“版本”就是一份做好的 PyTorch。已按显卡和驱动选好；打勾的格子也都可以选用。</translation>
    </message>
    <message>
        <source>torch&amp;vision</source>
        <translation>torchvision(&amp;V)</translation>
    </message>
    <message>
        <source>torcha&amp;udio</source>
        <translation>torchaudio(&amp;U)</translation>
    </message>
    <message>
        <source>A&amp;ll releases, back to the first</source>
        <translation>显示全部历史版本(&amp;L)</translation>
    </message>
    <message>
        <source>Python version</source>
        <translation>Python 版本</translation>
    </message>
    <message>
        <source>Builds: torch releases down, CUDA across</source>
        <translation>版本表：纵向为 torch 版本，横向为 CUDA</translation>
    </message>
    <message>
        <source>No build fits with this Python. Choose another one below.</source>
        <translation>没有适合此 Python 的版本，请在下方另选一个 Python。</translation>
    </message>
    <message>
        <source>Why not the newest, %1? Its CUDA build: %2.</source>
        <translation>为什么不选最新的 %1？它的 CUDA 版本：%2。</translation>
    </message>
    <message>
        <source>After an update to driver %1 or newer, %2 would fit.</source>
        <translation>将驱动升级到 %1 或更新后，可以使用 %2。</translation>
    </message>
    <message>
        <source>Python: best</source>
        <translation>Python：最佳</translation>
    </message>
</context>
<context>
    <name>CheckPage</name>
    <message>
        <source>Check &amp;again</source>
        <translation>重新检查(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Copy facts</source>
        <translation>复制信息(&amp;C)</translation>
    </message>
    <message>
        <source>Choose my&amp;self</source>
        <translation>自己选择(&amp;S)</translation>
    </message>
    <message>
        <source>No graphics card, or the wrong one? You can still go on: PyTorch then works on the processor (CPU), only slower.</source>
        <translation>没有显卡，或显卡不对？仍可继续：PyTorch 会在处理器（CPU）上运行，只是慢一些。</translation>
    </message>
    <message>
        <source>Environments that are not as they were</source>
        <translation>与记录不符的环境</translation>
    </message>
    <message>
        <source>Written. Undo on the first page takes it back; this is what is true now:</source>
        <translation>已写入。可在首页的“撤销修改”中还原；以下是现在的情况：</translation>
    </message>
    <message>
        <source>Only looking: nothing is changed.</source>
        <translation>只是查看，不做任何改动。</translation>
    </message>
    <message>
        <source>Checked in %1. Nothing has been changed.</source>
        <translation>检查用时 %1，没有做任何改动。</translation>
    </message>
    <message>
        <source>Next chooses everything for you and shows it before anything is done.</source>
        <translation>点“下一步”会替您选好全部内容，并在开始之前给您过目。</translation>
    </message>
    <message>
        <source>Your computer</source>
        <translation>您的电脑</translation>
    </message>
    <message>
        <source>&amp;Other settings: %1. This setup works around them; other installs may not.</source>
        <translation>其他设置：%1 项。本次安装会绕开它们，其他安装则未必(&amp;O)</translation>
    </message>
    <message>
        <source>Writing the change…</source>
        <translation>正在写入更改…</translation>
    </message>
    <message>
        <source>Looking at this computer…</source>
        <translation>正在查看这台电脑…</translation>
    </message>
</context>
<context>
    <name>CheckRows</name>
    <message>
        <source>Looking…</source>
        <translation>检查中…</translation>
    </message>
    <message>
        <source>How to update</source>
        <translation>如何更新</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>如何处理</translation>
    </message>
    <message>
        <source>Fix…</source>
        <translation>修复…</translation>
    </message>
    <message>
        <source>Shows the change first; nothing is written yet.</source>
        <translation>先展示改动，此时不会写入任何内容。</translation>
    </message>
    <message>
        <source>&amp;Write this change</source>
        <translation>写入此更改(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Leave it</source>
        <translation>不改(&amp;L)</translation>
    </message>
</context>
<context>
    <name>ClassPage</name>
    <message>
        <source>Class</source>
        <translation>班级</translation>
    </message>
    <message>
        <source>One download for a whole room: into a folder, from there to every computer, and how each fared.</source>
        <translation>全教室只下载一次：先放进一个文件夹，再分发到每台电脑，并查看各台的结果。</translation>
    </message>
    <message>
        <source>Save the &amp;room…</source>
        <translation>保存教室结果(&amp;R)…</translation>
    </message>
    <message>
        <source>Open a pack</source>
        <translation>打开课堂包</translation>
    </message>
    <message>
        <source>Build a pack from a class profile</source>
        <translation>用班级配置文件制作课堂包</translation>
    </message>
    <message>
        <source>Folder of the pack</source>
        <translation>课堂包的文件夹</translation>
    </message>
    <message>
        <source>Save the room</source>
        <translation>保存教室结果</translation>
    </message>
</context>
<context>
    <name>ClonePanel</name>
    <message>
        <source>%1 of %2 copied</source>
        <translation>已复制 %1 / %2</translation>
    </message>
    <message>
        <source>Looking through it…</source>
        <translation>正在查看文件…</translation>
    </message>
    <message>
        <source>&amp;Name of the copy</source>
        <translation>副本名称(&amp;N)</translation>
    </message>
    <message>
        <source>Name of the copy</source>
        <translation>副本名称</translation>
    </message>
    <message>
        <source>&amp;Make the copy</source>
        <translation>创建副本(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>N&amp;ot now</source>
        <translation>暂不(&amp;O)</translation>
    </message>
    <message>
        <source>A copy of %1</source>
        <translation>%1 的副本</translation>
    </message>
    <message>
        <source>The copy works in its new place and is made where new environments go. The original is only read.</source>
        <translation>副本会放在新环境的默认位置，可直接使用。只读取原环境，不做改动。</translation>
    </message>
</context>
<context>
    <name>CodeLine</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy: %1</source>
        <translation>复制：%1</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>CodeLines</name>
    <message>
        <source>Other terminals, Jupyter, editor, a first program</source>
        <translation>其他终端、Jupyter、编辑器、第一个程序</translation>
    </message>
</context>
<context>
    <name>DeletionPanel</name>
    <message>
        <source>%1 of %2 files removed, %3</source>
        <translation>已删除 %1/%2 个文件，%3</translation>
    </message>
    <message>
        <source>&amp;Keep it</source>
        <translation>保留(&amp;K)</translation>
    </message>
    <message>
        <source>Look a&amp;gain</source>
        <translation>重新查看(&amp;G)</translation>
    </message>
    <message>
        <source>De&amp;lete for good</source>
        <translation>永久删除(&amp;L)</translation>
    </message>
    <message>
        <source>Name of the environment to delete</source>
        <translation>要删除的环境的名称</translation>
    </message>
    <message>
        <source>Deleting</source>
        <translation>正在删除</translation>
    </message>
    <message>
        <source>Delete %1?</source>
        <translation>要删除 %1 吗？</translation>
    </message>
    <message>
        <source>%1 goes: %2 packages, %3 files, %4. %5 become free on the disk.</source>
        <translation>将删除 %1：%2 个软件包，%3 个文件，共 %4；磁盘可释放 %5。</translation>
    </message>
    <message>
        <source>T&amp;ype %1 to delete it</source>
        <translation>输入 %1 以确认删除(&amp;Y)</translation>
    </message>
    <message>
        <source>Files in it that belong to no package: %1. They are yours, and they would be lost:</source>
        <translation>其中有 %1 个文件不属于任何软件包。它们是您自己的，删除后会丢失：</translation>
    </message>
    <message>
        <source>%1 (process %2) is using it. Close it first.</source>
        <translation>%1（进程 %2）正在使用它，请先关闭。</translation>
    </message>
    <message>
        <source>%1 uses the Python in here and would no longer run.</source>
        <translation>%1 使用这里的 Python，删除后将无法运行。</translation>
    </message>
    <message>
        <source>Taking it away…</source>
        <translation>正在移走…</translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy: the change of %1</source>
        <translation>复制：对 %1 的更改</translation>
    </message>
    <message>
        <source>lines added: %1, taken out: %2</source>
        <translation>新增 %1 行，删去 %2 行</translation>
    </message>
    <message>
        <source>new file</source>
        <translation>新文件</translation>
    </message>
</context>
<context>
    <name>DoctorAnswer</name>
    <message>
        <source>&amp;Copy report</source>
        <translation>复制报告(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save report…</source>
        <translation>保存报告(&amp;S)…</translation>
    </message>
    <message>
        <source>E&amp;vidence (%1)</source>
        <translation>依据 (%1)(&amp;V)</translation>
    </message>
    <message>
        <source>All is well</source>
        <translation>一切正常</translation>
    </message>
    <message>
        <source>Cause found</source>
        <translation>已找到原因</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>原因不明</translation>
    </message>
    <message>
        <source>Not tested</source>
        <translation>未测试</translation>
    </message>
    <message>
        <source>Repair: %1</source>
        <translation>修复方法：%1</translation>
    </message>
    <message>
        <source>Wha&amp;t was ruled out (%1)</source>
        <translation>已排除的情况 (%1)(&amp;T)</translation>
    </message>
</context>
<context>
    <name>DoctorPage</name>
    <message>
        <source>E&amp;xamine</source>
        <translation>诊断(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Repair now</source>
        <translation>立即修复(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Repair now (%1 at most)</source>
        <translation>立即修复，最多 %1 (&amp;R)</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>环境诊断</translation>
    </message>
    <message>
        <source>Says why PyTorch does not work in an environment. Looking changes nothing.</source>
        <translation>找出某个环境里 PyTorch 不能用的原因。诊断不做任何改动。</translation>
    </message>
    <message>
        <source>&amp;Environment</source>
        <translation>环境(&amp;E)</translation>
    </message>
    <message>
        <source>Environment to examine</source>
        <translation>要诊断的环境</translation>
    </message>
    <message>
        <source>Choose &amp;folder…</source>
        <translation>选择文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>It looks at the files, starts PyTorch as your terminal would, then looks at the driver and the card: up to a minute. You see the cause, what shows it, and the smallest repair before anything is changed.</source>
        <translation>会先查看文件，再像您的终端那样启动 PyTorch，最后查看驱动和显卡，最多需要一分钟。在做任何改动之前，您会先看到原因、依据和改动最小的修复办法。</translation>
    </message>
    <message>
        <source>Examine &amp;again</source>
        <translation>重新诊断(&amp;A)</translation>
    </message>
    <message>
        <source>no PyTorch</source>
        <translation>没有 PyTorch</translation>
    </message>
    <message>
        <source>Folder of an environment</source>
        <translation>环境所在文件夹</translation>
    </message>
    <message>
        <source>Examining…</source>
        <translation>正在诊断…</translation>
    </message>
    <message>
        <source>Looking for the smallest repair…</source>
        <translation>正在寻找最小的修复办法…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
</context>
<context>
    <name>DriverPanel</name>
    <message>
        <source>Install it</source>
        <translation>安装</translation>
    </message>
    <message>
        <source>Keep it at this series</source>
        <translation>保持在这个驱动系列</translation>
    </message>
    <message>
        <source>Let it change again</source>
        <translation>恢复自动更换系列</translation>
    </message>
    <message>
        <source>Open the guide in a browser</source>
        <translation>在浏览器中打开指南</translation>
    </message>
</context>
<context>
    <name>EngineChoice</name>
    <message>
        <source>How the environment is made</source>
        <translation>环境的创建方式</translation>
    </message>
    <message>
        <source>A&amp;utomatic</source>
        <translation>自动(&amp;U)</translation>
    </message>
    <message>
        <source>Built-in &amp;engine: a complete Python of its own, no conda needed</source>
        <translation>内置引擎：自带完整的 Python，无需 conda(&amp;E)</translation>
    </message>
    <message>
        <source>Your &amp;conda: it makes the environment and looks after it</source>
        <translation>您的 conda：由它创建并管理环境(&amp;C)</translation>
    </message>
    <message>
        <source>This computer&apos;s &amp;own Python (venv)</source>
        <translation>这台电脑已有的 Python（venv）(&amp;O)</translation>
    </message>
    <message>
        <source>Which conda</source>
        <translation>使用哪个 conda</translation>
    </message>
</context>
<context>
    <name>EngineName</name>
    <message>
        <source>built-in</source>
        <translation>内置引擎</translation>
    </message>
    <message>
        <source>conda</source>
        <translation>conda</translation>
    </message>
    <message>
        <source>venv</source>
        <translation>venv</translation>
    </message>
    <message>
        <source>conda itself</source>
        <translation>conda 本身</translation>
    </message>
    <message>
        <source>system</source>
        <translation>系统</translation>
    </message>
</context>
<context>
    <name>EnvironmentCard</name>
    <message>
        <source>C&amp;heck it</source>
        <translation>诊断(&amp;H)</translation>
    </message>
    <message>
        <source>Open &amp;terminal</source>
        <translation>打开终端(&amp;T)</translation>
    </message>
    <message>
        <source>Open &amp;folder</source>
        <translation>打开文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Copy path</source>
        <translation>复制路径(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Delete…</source>
        <translation>删除(&amp;D)…</translation>
    </message>
    <message>
        <source>C&amp;lone…</source>
        <translation>创建副本(&amp;L)…</translation>
    </message>
    <message>
        <source>E&amp;xport…</source>
        <translation>导出清单(&amp;X)…</translation>
    </message>
    <message>
        <source>Bring it bac&amp;k</source>
        <translation>恢复(&amp;K)</translation>
    </message>
    <message>
        <source>no Python</source>
        <translation>没有 Python</translation>
    </message>
    <message>
        <source>no PyTorch</source>
        <translation>没有 PyTorch</translation>
    </message>
    <message>
        <source>packages: %1</source>
        <translation>软件包：%1 个</translation>
    </message>
    <message>
        <source>made by: %1</source>
        <translation>创建方式：%1</translation>
    </message>
    <message>
        <source>last used: %1</source>
        <translation>上次使用：%1</translation>
    </message>
    <message>
        <source>marked as frozen</source>
        <translation>已标记为冻结</translation>
    </message>
    <message>
        <source>switched on in this terminal</source>
        <translation>已在当前终端中激活</translation>
    </message>
    <message>
        <source>The last repair or setup in here replaced %1; what was there before is kept (%2).</source>
        <translation>这里最近一次修复或安装替换了 %1；之前的内容仍保留着（%2）。</translation>
    </message>
</context>
<context>
    <name>EnvironmentState</name>
    <message>
        <source>ok</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>broken</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>unfinished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>being deleted</source>
        <translation>正在删除</translation>
    </message>
</context>
<context>
    <name>EnvironmentsPage</name>
    <message>
        <source>Environments</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>An environment is a folder with its own Python and packages. Here are all; only what you choose is touched.</source>
        <translation>环境是有自己的 Python 和软件包的文件夹。这里列出全部环境，只会改动您选定的内容。</translation>
    </message>
    <message>
        <source>Look &amp;again</source>
        <translation>重新查看(&amp;A)</translation>
    </message>
    <message>
        <source>No environment was found on this computer.</source>
        <translation>这台电脑上没有找到任何环境。</translation>
    </message>
    <message>
        <source>Looking for environments…</source>
        <translation>正在查找环境…</translation>
    </message>
    <message>
        <source>Environments: %1</source>
        <translation>环境：%1 个</translation>
    </message>
    <message>
        <source>Bringing back what was there before…</source>
        <translation>正在恢复之前的内容…</translation>
    </message>
    <message>
        <source>Export the packages</source>
        <translation>导出软件包清单</translation>
    </message>
    <message>
        <source>Looking through every file of %1…</source>
        <translation>正在逐个查看 %1 的文件…</translation>
    </message>
</context>
<context>
    <name>EnvironmentsTable</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>PyTorch</source>
        <translation>PyTorch</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>创建方式</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>上次使用</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Environments on this computer</source>
        <translation>这台电脑上的环境</translation>
    </message>
</context>
<context>
    <name>ExistingChoice</name>
    <message>
        <source>There is no environment that could be used.</source>
        <translation>没有可以使用的环境。</translation>
    </message>
    <message>
        <source>Looking for environments…</source>
        <translation>正在查找环境…</translation>
    </message>
    <message>
        <source>Its other packages stay in their versions wherever they can. What has to be replaced is kept, and can be brought back; the next page names every package.</source>
        <translation>其中的其他软件包会尽可能保持原来的版本。需要替换的内容会保留下来，可以恢复；下一页会列出每一个软件包。</translation>
    </message>
</context>
<context>
    <name>ExplainPage</name>
    <message>
        <source>&amp;Explain</source>
        <translation>解释(&amp;E)</translation>
    </message>
    <message>
        <source>Looking it up…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>Explain an error</source>
        <translation>解释错误</translation>
    </message>
    <message>
        <source>Paste the lines of the error. Nothing is sent anywhere.</source>
        <translation>请粘贴报错的内容。不会向外发送任何东西。</translation>
    </message>
    <message>
        <source>Paste the error message or a log here, or drop its file</source>
        <translation>在此粘贴报错或日志，也可以把文件拖到这里</translation>
    </message>
    <message>
        <source>The error&apos;s text</source>
        <translation>报错的内容</translation>
    </message>
    <message>
        <source>Open &amp;file…</source>
        <translation>打开文件(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Clear</source>
        <translation>清空(&amp;C)</translation>
    </message>
    <message>
        <source>Open the error&apos;s file</source>
        <translation>打开报错文件</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>未知错误</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>打开网页</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分钟</translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation>大约还需 %1</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
</context>
<context>
    <name>Footer</name>
    <message>
        <source>&amp;Back</source>
        <translation>上一步(&amp;B)</translation>
    </message>
</context>
<context>
    <name>ForceBox</name>
    <message>
        <source>&amp;Take it all the same</source>
        <translation>仍要选用(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Keep what fits</source>
        <translation>保留合适的版本(&amp;K)</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>不合适</translation>
    </message>
    <message>
        <source>Take %1 all the same?</source>
        <translation>仍要选用 %1 吗？</translation>
    </message>
    <message>
        <source>It will be installed, but here it will not run on a card; the test at the end will say so.</source>
        <translation>可以安装，但在这台电脑上无法使用显卡运行；最后的测试会如实说明。</translation>
    </message>
</context>
<context>
    <name>HandOnCard</name>
    <message>
        <source>St&amp;op it</source>
        <translation>停止(&amp;O)</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>正在提供</translation>
    </message>
    <message>
        <source>This computer hands the files on to its class</source>
        <translation>这台电脑正在把文件转给同班电脑</translation>
    </message>
    <message>
        <source>It goes on until this window is closed. Others find it by the class&apos;s code, or at %1.</source>
        <translation>在关闭本窗口之前会一直进行。其他电脑可通过班级代码找到它，或使用地址 %1。</translation>
    </message>
    <message>
        <source>The files could not be handed on</source>
        <translation>无法把文件转给其他电脑</translation>
    </message>
</context>
<context>
    <name>HelpPanel</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the help</source>
        <translation>关闭帮助</translation>
    </message>
</context>
<context>
    <name>InstallPage</name>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>继续(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>移除(&amp;M)</translation>
    </message>
    <message>
        <source>Takes away the environment that was begun; downloads stay.</source>
        <translation>删除已开始创建的环境；下载的文件会保留。</translation>
    </message>
    <message>
        <source>C&amp;opy log</source>
        <translation>复制日志(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Explain the error</source>
        <translation>解释错误(&amp;E)</translation>
    </message>
    <message>
        <source>Only the download can stand still; a step that has begun goes on to its end.</source>
        <translation>只有下载可以暂停；已经开始的步骤会继续做完。</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>&amp;Log (Ctrl+L)</source>
        <translation>日志 Ctrl+L (&amp;L)</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>正在取消…</translation>
    </message>
    <message>
        <source>What is being done comes to a safe end; that takes a moment.</source>
        <translation>正在进行的操作会安全结束，请稍候。</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Installing</source>
        <translation>正在安装</translation>
    </message>
    <message>
        <source>You can close this window or lose the network: the download goes on from where it stopped.</source>
        <translation>可以关闭窗口，断网也没关系：下载会从中断处继续。</translation>
    </message>
    <message>
        <source>No news</source>
        <translation>没有动静</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>The test&apos;s result is on the next page.</source>
        <translation>测试结果在下一页。</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Not finished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>What was downloaded and checked is kept.</source>
        <translation>已下载并核对的文件会保留。</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>继续(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Removing what the setup had made…</source>
        <translation>正在移除本次安装的内容…</translation>
    </message>
</context>
<context>
    <name>JoinPanel</name>
    <message>
        <source>The folder of the class</source>
        <translation>班级的文件夹</translation>
    </message>
    <message>
        <source>Join a class</source>
        <translation>加入班级</translation>
    </message>
    <message>
        <source>Type the code that your teacher shows. The files come from the class, and each one is checked.</source>
        <translation>请输入老师给出的代码。文件来自班级，并会逐个校验。</translation>
    </message>
    <message>
        <source>C&amp;ode</source>
        <translation>代码(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Address or folder</source>
        <translation>地址或文件夹(&amp;A)</translation>
    </message>
    <message>
        <source>Na&amp;me of this computer</source>
        <translation>这台电脑的名称(&amp;M)</translation>
    </message>
    <message>
        <source>Code of the class</source>
        <translation>班级代码</translation>
    </message>
    <message>
        <source>only if the code alone finds nothing: %1</source>
        <translation>仅在只用代码找不到时填写：%1</translation>
    </message>
    <message>
        <source>Address or folder of the class</source>
        <translation>班级的地址或文件夹</translation>
    </message>
    <message>
        <source>as the teacher&apos;s list shows it, for example seat 7; may stay empty</source>
        <translation>显示在老师的列表中，例如“7 号座位”；可以留空</translation>
    </message>
    <message>
        <source>Name of this computer in the class</source>
        <translation>这台电脑在班级中的名称</translation>
    </message>
    <message>
        <source>&amp;Folder…</source>
        <translation>文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>When this computer is ready, &amp;hand the files on to the others</source>
        <translation>这台电脑就绪后，把文件转给其他电脑(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Not now</source>
        <translation>暂不(&amp;N)</translation>
    </message>
</context>
<context>
    <name>LastingBox</name>
    <message>
        <source>A&amp;lso use this mirror for later installs with pip, uv and conda</source>
        <translation>今后用 pip、uv 和 conda 安装时也使用此镜像(&amp;L)</translation>
    </message>
    <message>
        <source>Shows the change of your settings files first. %1 would then serve every later install.</source>
        <translation>会先展示设置文件的改动。之后的每次安装都将使用：%1。</translation>
    </message>
    <message>
        <source>Your settings files say so already; nothing will be changed.</source>
        <translation>您的设置文件已经如此，无需改动。</translation>
    </message>
    <message>
        <source>Written when you press Install, with a backup; Undo takes it back at any time.</source>
        <translation>点“开始安装”时才写入，并保留备份；可随时撤销。</translation>
    </message>
</context>
<context>
    <name>LimitsForm</name>
    <message>
        <source>At &amp;most</source>
        <translation>速度上限(&amp;M)</translation>
    </message>
    <message>
        <source>Connections at &amp;once</source>
        <translation>同时连接数(&amp;O)</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>In a classroom, a limit and few connections leave something for the others.</source>
        <translation>在教室里，限制速度、减少连接数，可以给其他人留出带宽。</translation>
    </message>
</context>
<context>
    <name>Link</name>
    <message>
        <source>Your card</source>
        <translation>您的显卡</translation>
    </message>
    <message>
        <source>In the package</source>
        <translation>安装包内</translation>
    </message>
    <message>
        <source>Your driver</source>
        <translation>您的驱动</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Package exists</source>
        <translation>安装包存在</translation>
    </message>
</context>
<context>
    <name>NetworkForm</name>
    <message>
        <source>The system says: proxy %1.</source>
        <translation>系统设置：代理 %1。</translation>
    </message>
    <message>
        <source>Not for: %1.</source>
        <translation>以下地址不走代理：%1。</translation>
    </message>
    <message>
        <source>The system says: no proxy.</source>
        <translation>系统设置：无代理。</translation>
    </message>
    <message>
        <source>It names a script (PAC), which this program does not run: look the proxy up in it or in a browser.</source>
        <translation>系统指定了自动配置脚本（PAC），这里不会执行它：请在脚本或浏览器中查找代理地址。</translation>
    </message>
    <message>
        <source>As the s&amp;ystem says</source>
        <translation>跟随系统(&amp;Y)</translation>
    </message>
    <message>
        <source>N&amp;o proxy</source>
        <translation>不使用代理(&amp;O)</translation>
    </message>
    <message>
        <source>A proxy of my own</source>
        <translation>自行指定代理</translation>
    </message>
    <message>
        <source>A&amp;ddress</source>
        <translation>地址(&amp;D)</translation>
    </message>
    <message>
        <source>User na&amp;me</source>
        <translation>用户名(&amp;M)</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>&amp;Except for</source>
        <translation>例外(&amp;E)</translation>
    </message>
    <message>
        <source>Cert&amp;ificates</source>
        <translation>证书(&amp;I)</translation>
    </message>
    <message>
        <source>The system&apos;s own; or a PEM file</source>
        <translation>默认用系统证书；也可指定 PEM 文件</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Browse for a certificate file</source>
        <translation>浏览证书文件</translation>
    </message>
    <message>
        <source>Use these settin&amp;gs</source>
        <translation>使用这些设置(&amp;G)</translation>
    </message>
</context>
<context>
    <name>NewsBox</name>
    <message>
        <source>New at the sources, and not known to this program yet</source>
        <translation>下载源上有新版本，本程序尚未收录</translation>
    </message>
    <message>
        <source>An update of this program, or “torch-wizard matrices refresh”, brings them here.</source>
        <translation>更新本程序，或运行“torch-wizard matrices refresh”后即可选用。</translation>
    </message>
    <message>
        <source>whether it fits is not known</source>
        <translation>是否合适尚不清楚</translation>
    </message>
    <message>
        <source>would fit this computer</source>
        <translation>适合这台电脑</translation>
    </message>
    <message>
        <source>would not fit: %1</source>
        <translation>不合适：%1</translation>
    </message>
</context>
<context>
    <name>Origin</name>
    <message>
        <source>official</source>
        <translation>官方</translation>
    </message>
    <message>
        <source>mirror</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>from your settings</source>
        <translation>来自您的设置</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>手动指定</translation>
    </message>
</context>
<context>
    <name>PackPanel</name>
    <message>
        <source>Fol&amp;der</source>
        <translation>文件夹(&amp;D)</translation>
    </message>
    <message>
        <source>Folder of the pack</source>
        <translation>课堂包的文件夹</translation>
    </message>
    <message>
        <source>&amp;Choose…</source>
        <translation>选择(&amp;C)…</translation>
    </message>
    <message>
        <source>Files over 4 GiB in parts, as a stick with F&amp;AT32 needs it</source>
        <translation>把超过 4 GiB 的文件分段，以便放入 FAT32 格式的 U 盘(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Open a pack…</source>
        <translation>打开课堂包(&amp;O)…</translation>
    </message>
    <message>
        <source>Build one from a class &amp;profile…</source>
        <translation>用班级配置文件制作(&amp;P)…</translation>
    </message>
    <message>
        <source>Bui&amp;ld the pack</source>
        <translation>制作课堂包(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Not now</source>
        <translation>暂不(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Another pack…</source>
        <translation>换一个课堂包(&amp;A)…</translation>
    </message>
    <message>
        <source>Package files: %1, %2. Made %3.</source>
        <translation>%1 个软件包文件，共 %2。制作于 %3。</translation>
    </message>
    <message>
        <source>Of them in parts: %1.</source>
        <translation>其中 %1 个分成了几段。</translation>
    </message>
    <message>
        <source>A pack for %1</source>
        <translation>“%1”的课堂包</translation>
    </message>
    <message>
        <source>Package files: %1, %2, each once. They are fetched into the folder and checked.</source>
        <translation>%1 个软件包文件，共 %2，每个只下载一次。文件会下载到该文件夹并经过校验。</translation>
    </message>
    <message>
        <source>of a size that is not known yet</source>
        <translation>大小尚不清楚</translation>
    </message>
    <message>
        <source>The pack</source>
        <translation>课堂包</translation>
    </message>
    <message>
        <source>A folder with every file that the class needs. It works from a USB stick, a network folder, a web server, or from this computer.</source>
        <translation>一个文件夹，里面是全班所需的全部文件。可以放在 U 盘、网络文件夹或网页服务器上，也可以由这台电脑提供。</translation>
    </message>
    <message>
        <source>This disk (%1) holds no file over 4 GiB. Larger ones lie in parts; a setup joins them.</source>
        <translation>这个磁盘（%1）不支持超过 4 GiB 的文件。更大的文件会分段存放，安装时自动合并。</translation>
    </message>
    <message>
        <source>Files over 4 GiB: %1</source>
        <translation>超过 4 GiB 的文件：%1 个</translation>
    </message>
    <message>
        <source>A pack lies there already: only what is new or damaged is fetched.</source>
        <translation>那里已有课堂包：只下载新增或损坏的文件。</translation>
    </message>
    <message>
        <source>A pack was begun there: it is gone on with.</source>
        <translation>那里有未完成的课堂包，将继续制作。</translation>
    </message>
    <message>
        <source>There is too little room: only %1 are free.</source>
        <translation>空间不足：只剩 %1。</translation>
    </message>
    <message>
        <source>Looking for what is here already…</source>
        <translation>正在查看已有的文件…</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>Page</name>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
</context>
<context>
    <name>Pill</name>
    <message>
        <source>OK</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>PlacePage</name>
    <message>
        <source>Where it goes</source>
        <translation>安装位置</translation>
    </message>
    <message>
        <source>PyTorch and its Python go into one folder, called an environment. Other environments are not touched.</source>
        <translation>PyTorch 和它的 Python 都放进一个文件夹，称为环境。不会改动其他环境。</translation>
    </message>
    <message>
        <source>A ne&amp;w environment of its own</source>
        <translation>新建一个独立的环境(&amp;W)</translation>
    </message>
    <message>
        <source>In&amp;to an environment that you have already</source>
        <translation>装进您已有的环境(&amp;T)</translation>
    </message>
    <message>
        <source>Na&amp;me</source>
        <translation>名称(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Folder</source>
        <translation>文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>Brow&amp;se…</source>
        <translation>浏览(&amp;S)…</translation>
    </message>
    <message>
        <source>Name of the environment</source>
        <translation>环境名称</translation>
    </message>
    <message>
        <source>Folder of the environment</source>
        <translation>环境所在文件夹</translation>
    </message>
    <message>
        <source>Othe&amp;r places for downloads and temporary files</source>
        <translation>下载和临时文件的其他位置(&amp;R)</translation>
    </message>
    <message>
        <source>This environment can be used.</source>
        <translation>此环境可以使用。</translation>
    </message>
    <message>
        <source>This place can be used.</source>
        <translation>此位置可以使用。</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Build</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>下载源</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>Install</source>
        <translation>安装</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Environments</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>环境诊断</translation>
    </message>
    <message>
        <source>Explain an error</source>
        <translation>解释错误</translation>
    </message>
    <message>
        <source>Undo changes</source>
        <translation>撤销修改</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>班级</translation>
    </message>
    <message>
        <source>%1, current page</source>
        <translation>%1，当前页面</translation>
    </message>
    <message>
        <source>current step</source>
        <translation>当前步骤</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>not reached yet</source>
        <translation>尚未到达</translation>
    </message>
    <message>
        <source>Step %1 of %2: %3, %4</source>
        <translation>第 %1 步，共 %2 步：%3，%4</translation>
    </message>
    <message>
        <source>Theme: follow system</source>
        <translation>主题：跟随系统</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>主题：浅色</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>主题：深色</translation>
    </message>
    <message>
        <source>Help on this page (F1)</source>
        <translation>本页帮助 (F1)</translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>‹ Back to: %1</source>
        <translation>‹ 返回：%1</translation>
    </message>
</context>
<context>
    <name>RegionChoice</name>
    <message>
        <source>Automatic: China</source>
        <translation>自动：中国</translation>
    </message>
    <message>
        <source>Automatic: not in China</source>
        <translation>自动：不在中国</translation>
    </message>
    <message>
        <source>In China</source>
        <translation>在中国</translation>
    </message>
    <message>
        <source>Elsewhere</source>
        <translation>在其他地区</translation>
    </message>
    <message>
        <source>&amp;Region</source>
        <translation>所在地区(&amp;R)</translation>
    </message>
</context>
<context>
    <name>Requirement</name>
    <message>
        <source>Graphics card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>CUDA Toolkit</source>
        <translation>CUDA 工具包</translation>
    </message>
    <message>
        <source>conda</source>
        <translation>conda</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>VC++ runtime</source>
        <translation>VC++ 运行库</translation>
    </message>
</context>
<context>
    <name>ReviewPage</name>
    <message>
        <source>Nothing to do</source>
        <translation>无需改动</translation>
    </message>
    <message>
        <source>Class profile</source>
        <translation>班级配置</translation>
    </message>
    <message>
        <source>&amp;Install</source>
        <translation>开始安装(&amp;I)</translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>将要进行的操作</translation>
    </message>
    <message>
        <source>Nothing has been changed so far. Press Install to begin.</source>
        <translation>到目前为止没有做任何改动。点“开始安装”后才会开始。</translation>
    </message>
    <message>
        <source>&amp;Copy commands</source>
        <translation>复制命令(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save as class profile…</source>
        <translation>保存为班级配置(&amp;S)…</translation>
    </message>
    <message>
        <source>The same by hand</source>
        <translation>等效的手动命令</translation>
    </message>
    <message>
        <source>Be &amp;gentle to a shared network</source>
        <translation>照顾共用网络(&amp;G)</translation>
    </message>
    <message>
        <source>Settings files that &amp;will be changed: %1</source>
        <translation>将要改动的设置文件：%1 个(&amp;W)</translation>
    </message>
    <message>
        <source>Files: %1; the sources do not say how large they all are.</source>
        <translation>%1 个文件；下载源没有提供全部大小。</translation>
    </message>
    <message>
        <source>Nothing to download: all of it is here already.</source>
        <translation>无需下载：本机均已存有。</translation>
    </message>
    <message>
        <source>To download: %1 (files: %2; %3).</source>
        <translation>需下载：%1，共 %2 个文件（%3）。</translation>
    </message>
    <message>
        <source>&amp;Files: %1, each with its checksum (SHA-256)</source>
        <translation>文件：%1 个，均带校验值（SHA-256）(&amp;F)</translation>
    </message>
    <message>
        <source>Nothing is missing. To set up something else, go back and choose it.</source>
        <translation>什么都不缺。如果要安装别的内容，请返回上一步重新选择。</translation>
    </message>
    <message>
        <source>These settings files are changed when you press Install, with a backup: %1.</source>
        <translation>点“开始安装”时会改动以下设置文件，并保留备份：%1。</translation>
    </message>
    <message>
        <source>Preparing what the class profile says…</source>
        <translation>正在按班级配置做准备…</translation>
    </message>
    <message>
        <source>Comparing with what is in the environment…</source>
        <translation>正在与环境中已有的内容比较…</translation>
    </message>
    <message>
        <source>Asking the sources again for the other engine…</source>
        <translation>引擎已更改，正在重新询问下载源…</translation>
    </message>
    <message>
        <source>Choosing the exact files and asking for their sizes…</source>
        <translation>正在选定具体文件并查询大小…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Writing the settings, then starting…</source>
        <translation>正在写入设置，随后开始…</translation>
    </message>
    <message>
        <source>Save as class profile</source>
        <translation>保存为班级配置</translation>
    </message>
    <message>
        <source>Making the class profile: asking the sources for its files…</source>
        <translation>正在生成班级配置：向下载源查询各个文件…</translation>
    </message>
</context>
<context>
    <name>RoomPanel</name>
    <message>
        <source>The room</source>
        <translation>教室</translation>
    </message>
    <message>
        <source>&amp;Expected computers</source>
        <translation>应有电脑数(&amp;E)</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未填写</translation>
    </message>
    <message>
        <source>Expected computers</source>
        <translation>应有电脑数</translation>
    </message>
    <message>
        <source>S&amp;how</source>
        <translation>显示(&amp;H)</translation>
    </message>
    <message>
        <source>name, card or error</source>
        <translation>名称、显卡或错误</translation>
    </message>
    <message>
        <source>Show only rows with these words</source>
        <translation>只显示含有这些文字的行</translation>
    </message>
    <message>
        <source>On&amp;ly those that need help</source>
        <translation>只看需要处理的(&amp;L)</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>电脑</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>怎么办</translation>
    </message>
    <message>
        <source>Computers of the class</source>
        <translation>班级的电脑</translation>
    </message>
    <message>
        <source>No computer has reported yet. Results come by themselves when one is ready or has failed.</source>
        <translation>还没有电脑上报结果。某台电脑就绪或失败后，结果会自动出现。</translation>
    </message>
    <message>
        <source>No row has these words.</source>
        <translation>没有含有这些文字的行。</translation>
    </message>
    <message>
        <source>Nobody needs help.</source>
        <translation>没有需要处理的电脑。</translation>
    </message>
</context>
<context>
    <name>RunProgress</name>
    <message>
        <source>Progress: %1</source>
        <translation>进度：%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>RunningCard</name>
    <message>
        <source>Finished, see the result: %1</source>
        <translation>安装已完成，请查看结果：%1</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>&amp;See the result</source>
        <translation>查看结果(&amp;S)</translation>
    </message>
    <message>
        <source>A setup is running: %1</source>
        <translation>正在进行的安装：%1</translation>
    </message>
    <message>
        <source>Running, %1</source>
        <translation>进行中，%1</translation>
    </message>
    <message>
        <source>Sho&amp;w it</source>
        <translation>显示(&amp;W)</translation>
    </message>
</context>
<context>
    <name>ServingPanel</name>
    <message>
        <source>Hand it out</source>
        <translation>分发</translation>
    </message>
    <message>
        <source>Let the computers of this network &amp;find it by the code</source>
        <translation>让本网络的电脑可以用代码找到它(&amp;F)</translation>
    </message>
    <message>
        <source>Start &amp;serving</source>
        <translation>开始提供(&amp;S)</translation>
    </message>
    <message>
        <source>Sto&amp;p serving</source>
        <translation>停止提供(&amp;P)</translation>
    </message>
    <message>
        <source>Fetch them a&amp;new</source>
        <translation>重新下载(&amp;N)</translation>
    </message>
    <message>
        <source>The code of this class</source>
        <translation>本班级的代码</translation>
    </message>
    <message>
        <source>The address, where the code alone finds nothing</source>
        <translation>地址：用代码找不到时使用</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>正在提供</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>未开启</translation>
    </message>
    <message>
        <source>Reading every file first: %1</source>
        <translation>先读取每个文件：%1</translation>
    </message>
    <message>
        <source>The students&apos; computers take the files from this one. Nothing else of it can be read.</source>
        <translation>学生的电脑从这台电脑获取文件，除此之外什么也读不到。</translation>
    </message>
    <message>
        <source>“Join a class” on a student&apos;s computer finds it by the code, or takes address and code.</source>
        <translation>学生在首页选择“加入班级”，输入代码即可找到；也可以同时输入地址和代码。</translation>
    </message>
    <message>
        <source>It is not announced in this network: the students type the address and the code.</source>
        <translation>没有在本网络中公告：学生需要输入地址和代码。</translation>
    </message>
    <message>
        <source>These files are damaged and are not handed out:</source>
        <translation>以下文件已损坏，不会提供给任何人：</translation>
    </message>
    <message>
        <source>Computers that have fetched: %1. Handed out: %2. Results that came in: %3.</source>
        <translation>已获取文件的电脑：%1 台。已提供：%2。收到的结果：%3 份。</translation>
    </message>
</context>
<context>
    <name>SidePage</name>
    <message>
        <source>&amp;Back</source>
        <translation>返回(&amp;B)</translation>
    </message>
</context>
<context>
    <name>SourceAge</name>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>%1 分钟前</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>%1 小时前</translation>
    </message>
    <message>
        <source>measuring…</source>
        <translation>测速中…</translation>
    </message>
</context>
<context>
    <name>SourcePage</name>
    <message>
        <source>Where to download from</source>
        <translation>从哪里下载</translation>
    </message>
    <message>
        <source>A source is a server that has the files. Each is asked for the very file that will be installed.</source>
        <translation>下载源是提供文件的服务器。向每个下载源询问的，正是将要安装的那个文件。</translation>
    </message>
    <message>
        <source>Ask &amp;again</source>
        <translation>重新询问(&amp;A)</translation>
    </message>
    <message>
        <source>Choose sources by &amp;hand: an address, a folder, a classroom server</source>
        <translation>手动指定下载源：网址、文件夹或教室服务器(&amp;H)</translation>
    </message>
    <message>
        <source>Region, pro&amp;xy and certificates</source>
        <translation>地区、代理与证书(&amp;X)</translation>
    </message>
    <message>
        <source>%1 for Python %2</source>
        <translation>%1，适用于 Python %2</translation>
    </message>
    <message>
        <source>PyTorch</source>
        <translation>PyTorch</translation>
    </message>
    <message>
        <source>Other packages</source>
        <translation>其他软件包</translation>
    </message>
    <message>
        <source>Python itself (conda channels)</source>
        <translation>Python 本身（conda 频道）</translation>
    </message>
    <message>
        <source>Measuring %1…</source>
        <translation>正在测速：%1…</translation>
    </message>
    <message>
        <source>Keeping the network settings…</source>
        <translation>正在保存网络设置…</translation>
    </message>
    <message>
        <source>answered in %1</source>
        <translation>%1内应答</translation>
    </message>
    <message>
        <source>files come from %1</source>
        <translation>文件实际来自 %1</translation>
    </message>
    <message>
        <source>Asking the sources…</source>
        <translation>正在询问下载源…</translation>
    </message>
</context>
<context>
    <name>SourceUse</name>
    <message>
        <source>used for torch</source>
        <translation>用于 torch</translation>
    </message>
    <message>
        <source>used for the other packages</source>
        <translation>用于其他软件包</translation>
    </message>
    <message>
        <source>used for Python</source>
        <translation>用于 Python</translation>
    </message>
    <message>
        <source>used here</source>
        <translation>本次使用</translation>
    </message>
</context>
<context>
    <name>SourceVerdict</name>
    <message>
        <source>has it</source>
        <translation>有此版本</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>没有</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>无应答</translation>
    </message>
    <message>
        <source>not asked</source>
        <translation>未询问</translation>
    </message>
    <message>
        <source>behind</source>
        <translation>版本落后</translation>
    </message>
    <message>
        <source>sends you on</source>
        <translation>转往别处</translation>
    </message>
    <message>
        <source>refuses</source>
        <translation>拒绝访问</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>繁忙</translation>
    </message>
    <message>
        <source>sign-in page</source>
        <translation>登录页面</translation>
    </message>
    <message>
        <source>not trusted</source>
        <translation>证书不可信</translation>
    </message>
    <message>
        <source>wrong file</source>
        <translation>文件不符</translation>
    </message>
    <message>
        <source>error</source>
        <translation>出错</translation>
    </message>
</context>
<context>
    <name>SourcesByHand</name>
    <message>
        <source>Py&amp;Torch from</source>
        <translation>PyTorch 来自(&amp;T)</translation>
    </message>
    <message>
        <source>Other &amp;packages from</source>
        <translation>其他软件包来自(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Folder or page with files</source>
        <translation>存放文件的文件夹或网页(&amp;F)</translation>
    </message>
    <message>
        <source>Python (conda &amp;channel)</source>
        <translation>Python（conda 频道）(&amp;C)</translation>
    </message>
    <message>
        <source>Brow&amp;se…</source>
        <translation>浏览(&amp;S)…</translation>
    </message>
</context>
<context>
    <name>TorchCheckState</name>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>已跳过</translation>
    </message>
</context>
<context>
    <name>Trouble</name>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Copy error</source>
        <translation>复制错误信息</translation>
    </message>
    <message>
        <source>Details of the error</source>
        <translation>错误的详细信息</translation>
    </message>
    <message>
        <source>Error: %1</source>
        <translation>错误：%1</translation>
    </message>
</context>
<context>
    <name>UndoPage</name>
    <message>
        <source>&amp;Undo this change</source>
        <translation>撤销这项修改(&amp;U)</translation>
    </message>
    <message>
        <source>Taking it back…</source>
        <translation>正在撤销…</translation>
    </message>
    <message>
        <source>Undo changes</source>
        <translation>撤销修改</translation>
    </message>
    <message>
        <source>What this program wrote into your own settings. Your other settings stay.</source>
        <translation>本程序写入您个人设置的内容。您的其他设置不受影响。</translation>
    </message>
    <message>
        <source>This program has not changed any of your settings.</source>
        <translation>本程序没有修改过您的任何设置。</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Changes of your settings</source>
        <translation>对您设置的修改</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查看…</translation>
    </message>
    <message>
        <source>Undoing would do this:</source>
        <translation>撤销后会这样：</translation>
    </message>
    <message>
        <source>Taken back</source>
        <translation>已撤销</translation>
    </message>
</context>
<context>
    <name>VerdictCard</name>
    <message>
        <source>No build fits</source>
        <translation>没有适用的版本</translation>
    </message>
    <message>
        <source>none fits</source>
        <translation>无适用</translation>
    </message>
    <message>
        <source>does not fit here</source>
        <translation>不适合这台电脑</translation>
    </message>
    <message>
        <source>fits, but unsure</source>
        <translation>适用，但不确定</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>适用</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>来源：%1</translation>
    </message>
</context>
<context>
    <name>VerifyPage</name>
    <message>
        <source>&amp;Finish</source>
        <translation>完成(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Repair…</source>
        <translation>修复(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Save report…</source>
        <translation>保存报告(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Copy report</source>
        <translation>复制报告(&amp;C)</translation>
    </message>
    <message>
        <source>Names of this computer and of you are taken out.</source>
        <translation>报告中不含电脑名和您的用户名。</translation>
    </message>
    <message>
        <source>Set up &amp;another</source>
        <translation>再安装一个(&amp;A)</translation>
    </message>
    <message>
        <source>Open &amp;terminal</source>
        <translation>打开终端(&amp;T)</translation>
    </message>
    <message>
        <source>Ope&amp;n folder</source>
        <translation>打开文件夹(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Manage it</source>
        <translation>管理环境(&amp;M)</translation>
    </message>
    <message>
        <source>Settings, &amp;undo</source>
        <translation>设置与撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Shows what was changed in your settings, and takes it back.</source>
        <translation>查看对您设置的修改，并可撤销。</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>Other checks</source>
        <translation>其他检查</translation>
    </message>
    <message>
        <source>The environment is in %1.</source>
        <translation>环境位于 %1。</translation>
    </message>
    <message>
        <source>Changed settings files: %1. Undo takes it back.</source>
        <translation>已改动的设置文件：%1。可随时撤销。</translation>
    </message>
    <message>
        <source>It works</source>
        <translation>可以使用了</translation>
    </message>
    <message>
        <source>Nothing is lost: the environment stays, and a repair uses again what was downloaded.</source>
        <translation>没有任何损失：环境会保留，修复时会再次使用已下载的内容。</translation>
    </message>
    <message>
        <source>PyTorch is installed, but cannot use the graphics card</source>
        <translation>PyTorch 已安装，但无法使用显卡</translation>
    </message>
    <message>
        <source>The test did not pass</source>
        <translation>测试未通过</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>The test does not say why. Repair… looks closer.</source>
        <translation>测试没有给出原因。点“修复”可进一步诊断。</translation>
    </message>
    <message>
        <source>Cause: %1</source>
        <translation>原因：%1</translation>
    </message>
    <message>
        <source>Repair: %1</source>
        <translation>修复方法：%1</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
</context>
<context>
    <name>VolumesForm</name>
    <message>
        <source>&amp;Downloads and caches</source>
        <translation>下载和缓存(&amp;D)</translation>
    </message>
    <message>
        <source>Tem&amp;porary files</source>
        <translation>临时文件(&amp;P)</translation>
    </message>
    <message>
        <source>Browse for the folder of downloads</source>
        <translation>选择下载文件夹</translation>
    </message>
    <message>
        <source>Browse for the folder of temporary files</source>
        <translation>选择临时文件夹</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>The system&apos;s own folder</source>
        <translation>系统自己的文件夹</translation>
    </message>
    <message>
        <source>For when the usual disk is small or slow. The folders are made where they are missing, and kept for later starts. An empty field means the usual place.</source>
        <translation>适合常用磁盘太小或太慢的情况。文件夹不存在时会自动创建，并在以后启动时继续使用。留空表示使用通常的位置。</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>PyTorch on this computer</source>
        <translation>在这台电脑上使用 PyTorch</translation>
    </message>
    <message>
        <source>PyTorch is a library for machine learning. This program makes it run on your graphics card.</source>
        <translation>PyTorch 是一个机器学习库。本程序让它在您的显卡上运行。</translation>
    </message>
    <message>
        <source>Set up PyTorch</source>
        <translation>安装 PyTorch</translation>
    </message>
    <message>
        <source>Checks this computer, picks the version that fits, installs it into a folder of its own (an environment) and tests it.</source>
        <translation>检查这台电脑，选出适用的版本，安装到单独的文件夹（即环境）并进行测试。</translation>
    </message>
    <message>
        <source>Check or repair an environment</source>
        <translation>诊断或修复环境</translation>
    </message>
    <message>
        <source>Says why PyTorch does not work in an environment, and offers the smallest repair.</source>
        <translation>找出某个环境里 PyTorch 不能用的原因，并给出最小的修复办法。</translation>
    </message>
    <message>
        <source>Manage environments</source>
        <translation>管理环境</translation>
    </message>
    <message>
        <source>All environments of this computer: what is in them, how large they are; delete them safely.</source>
        <translation>这台电脑上的所有环境：装了什么、占多大空间；可安全删除。</translation>
    </message>
    <message>
        <source>Teac&amp;h a class</source>
        <translation>给班级上课用(&amp;H)</translation>
    </message>
    <message>
        <source>E&amp;xplain an error</source>
        <translation>解释错误(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Undo changes</source>
        <translation>撤销修改(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Join</source>
        <translation>加入(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Join a class…</source>
        <translation>加入班级(&amp;J)…</translation>
    </message>
    <message>
        <source>&amp;Open a class profile…</source>
        <translation>打开班级配置(&amp;O)…</translation>
    </message>
    <message>
        <source>Go on with the unfinished setup of %1</source>
        <translation>继续未完成的安装：%1</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>继续(&amp;R)</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>移除(&amp;M)</translation>
    </message>
    <message>
        <source>Unfinished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>Opened file</source>
        <translation>打开的文件</translation>
    </message>
    <message>
        <source>This plan was carried out already: %1</source>
        <translation>这个计划已经执行过：%1</translation>
    </message>
    <message>
        <source>&amp;Check it</source>
        <translation>诊断(&amp;C)</translation>
    </message>
    <message>
        <source>This plan is being carried out: %1</source>
        <translation>这个计划正在执行：%1</translation>
    </message>
    <message>
        <source>Carry out this plan: %1</source>
        <translation>执行这个计划：%1</translation>
    </message>
    <message>
        <source>&amp;Begin</source>
        <translation>开始执行(&amp;B)</translation>
    </message>
    <message>
        <source>Set up as the class &amp;does</source>
        <translation>按班级配置安装(&amp;D)</translation>
    </message>
    <message>
        <source>Class profile</source>
        <translation>班级配置</translation>
    </message>
    <message>
        <source>Something replaced PyTorch in %1</source>
        <translation>%1 中的 PyTorch 被替换了</translation>
    </message>
    <message>
        <source>&amp;Look into it</source>
        <translation>查看(&amp;L)</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>有变化</translation>
    </message>
    <message>
        <source>Open a class profile</source>
        <translation>打开班级配置</translation>
    </message>
    <message>
        <source>Looking for the class&apos;s files…</source>
        <translation>正在查找班级的文件…</translation>
    </message>
    <message>
        <source>Looking for the class…</source>
        <translation>正在查找班级…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Removing what the unfinished setup had made…</source>
        <translation>正在移除未完成安装的内容…</translation>
    </message>
</context>
<context>
    <name>WhereFrom</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Only the official places</source>
        <translation>仅官方源</translation>
    </message>
    <message>
        <source>Measure, and take the fastest</source>
        <translation>测速，选用最快的</translation>
    </message>
    <message>
        <source>&amp;Where from</source>
        <translation>从哪里下载(&amp;W)</translation>
    </message>
    <message>
        <source>This computer seems to be in China: all known places are asked, the fastest is taken.</source>
        <translation>这台电脑似乎在中国：会询问所有已知的下载源，选用最快的。</translation>
    </message>
    <message>
        <source>The official places first; public mirrors are asked only if one of those is silent.</source>
        <translation>优先使用官方源；只有官方源没有响应时，才询问公共镜像。</translation>
    </message>
    <message>
        <source>Nobody but the official places is asked.</source>
        <translation>只询问官方源。</translation>
    </message>
    <message>
        <source>All known places are asked for this very build, and the best three are measured.</source>
        <translation>向所有已知的下载源询问这个版本，并为最好的三个测速。</translation>
    </message>
    <message>
        <source>%1 where it has what is needed, the official place for the rest.</source>
        <translation>优先从 %1 下载，它没有的再从官方源下载。</translation>
    </message>
</context>
<context>
    <name>_Detail</name>
    <message>
        <source>What to do: %1</source>
        <translation>怎么办：%1</translation>
    </message>
</context>
</TS>
