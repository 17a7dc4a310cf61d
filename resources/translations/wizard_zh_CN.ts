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
        <source>Cancel the set&amp;up</source>
        <translation>取消安装(&amp;U)</translation>
    </message>
    <message>
        <source>S&amp;tay</source>
        <translation>留在这里(&amp;T)</translation>
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
        <source>Chosen by your card and your driver. Take any ticked cell to change it; the others say why not.</source>
        <translation>根据显卡和驱动选出。打勾的格子都可以改选；其他格子说明了为什么不行。</translation>
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
        <source>No graphics card, or the wrong one? You can still go on with the CPU build.</source>
        <translation>没有显卡，或显卡不对？仍可继续安装 CPU 版本。</translation>
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
        <source>Your computer</source>
        <translation>您的电脑</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>怎么办</translation>
    </message>
    <message>
        <source>Looking at this computer…</source>
        <translation>正在查看这台电脑…</translation>
    </message>
    <message>
        <source>Looked at: %1</source>
        <translation>已查看：%1</translation>
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
    <name>Link</name>
    <message>
        <source>Your card</source>
        <translation>您的显卡</translation>
    </message>
    <message>
        <source>In the wheel</source>
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
        <source>Wheel exists</source>
        <translation>安装包存在</translation>
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
        <source>A new environment of its own; nothing else is touched.</source>
        <translation>一个独立的新环境，不影响其他任何内容。</translation>
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
        <source>This computer&apos;s &amp;own Python (venv)</source>
        <translation>使用本机已有的 Python（venv）(&amp;O)</translation>
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
        <source>Open log folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
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
</context>
<context>
    <name>ReviewPage</name>
    <message>
        <source>&amp;Install</source>
        <translation>开始安装(&amp;I)</translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>将要进行的操作</translation>
    </message>
    <message>
        <source>Nothing has been changed so far. Install begins.</source>
        <translation>到目前为止没有做任何改动。点“开始安装”后才会开始。</translation>
    </message>
    <message>
        <source>&amp;Copy commands</source>
        <translation>复制命令(&amp;C)</translation>
    </message>
    <message>
        <source>The same by hand</source>
        <translation>等效的手动命令</translation>
    </message>
    <message>
        <source>%1 files; the sources do not say how large they all are.</source>
        <translation>%1 个文件；下载源没有提供全部大小。</translation>
    </message>
    <message>
        <source>To download: %1 in %2 files (%3).</source>
        <translation>需下载：%1，共 %2 个文件（%3）。</translation>
    </message>
    <message>
        <source>&amp;Files: %1, each with its SHA-256</source>
        <translation>文件：%1 个，均带 SHA-256 (&amp;F)</translation>
    </message>
    <message>
        <source>Asking the sources again for the other engine…</source>
        <translation>引擎已更改，正在重新询问下载源…</translation>
    </message>
    <message>
        <source>Resolving: choosing the exact files and asking for their sizes…</source>
        <translation>正在解析：选定具体文件并查询大小…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
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
    <name>SourcePage</name>
    <message>
        <source>Where to download from</source>
        <translation>从哪里下载</translation>
    </message>
    <message>
        <source>Every source was asked for the very wheel that will be installed.</source>
        <translation>已向每个下载源查询将要安装的那个安装包。</translation>
    </message>
    <message>
        <source>Ask &amp;again</source>
        <translation>重新询问(&amp;A)</translation>
    </message>
    <message>
        <source>Choose sources by &amp;hand: another index, a folder, a classroom server</source>
        <translation>手动指定下载源：其他索引、文件夹或教室服务器(&amp;H)</translation>
    </message>
    <message>
        <source>%1 for Python %2</source>
        <translation>%1，适用于 Python %2</translation>
    </message>
    <message>
        <source>Official package index</source>
        <translation>官方软件包索引</translation>
    </message>
    <message>
        <source>answered in %1</source>
        <translation>%1内应答</translation>
    </message>
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
        <source>Asking the sources…</source>
        <translation>正在询问下载源…</translation>
    </message>
</context>
<context>
    <name>SourceVerdict</name>
    <message>
        <source>carries it</source>
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
</context>
<context>
    <name>SourcesByHand</name>
    <message>
        <source>&amp;Torch wheels from</source>
        <translation>torch 安装包来自(&amp;T)</translation>
    </message>
    <message>
        <source>Other &amp;packages from</source>
        <translation>其他软件包来自(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Folder or page with wheels</source>
        <translation>存放安装包的文件夹或网页(&amp;F)</translation>
    </message>
    <message>
        <source>conda &amp;channel</source>
        <translation>conda 频道(&amp;C)</translation>
    </message>
    <message>
        <source>Brow&amp;se…</source>
        <translation>浏览(&amp;S)…</translation>
    </message>
</context>
<context>
    <name>Step</name>
    <message>
        <source>Last look</source>
        <translation>最后检查</translation>
    </message>
    <message>
        <source>Create environment</source>
        <translation>创建环境</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Install</source>
        <translation>安装</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>核对文件</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
</context>
<context>
    <name>StepState</name>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
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
        <source>&amp;Save report…</source>
        <translation>保存报告(&amp;S)…</translation>
    </message>
    <message>
        <source>Set up &amp;another</source>
        <translation>再安装一个(&amp;A)</translation>
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
        <source>Use it</source>
        <translation>使用方法</translation>
    </message>
    <message>
        <source>Try it: runs on the card where there is one</source>
        <translation>试一试：有显卡时在显卡上运行</translation>
    </message>
    <message>
        <source>Copy the first program</source>
        <translation>复制示例程序</translation>
    </message>
    <message>
        <source>It works</source>
        <translation>可以使用了</translation>
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
    <name>WelcomePage</name>
    <message>
        <source>&amp;Start</source>
        <translation>开始(&amp;S)</translation>
    </message>
    <message>
        <source>PyTorch on this computer</source>
        <translation>在这台电脑上使用 PyTorch</translation>
    </message>
    <message>
        <source>From the graphics card to a tested environment.</source>
        <translation>从显卡到一个测试通过的环境。</translation>
    </message>
    <message>
        <source>Set up PyTorch</source>
        <translation>安装 PyTorch</translation>
    </message>
    <message>
        <source>Checks this computer, picks the build that fits, installs it into an environment and tests it.</source>
        <translation>检查这台电脑，选出适用的版本，安装到独立环境并进行测试。</translation>
    </message>
    <message>
        <source>This version cannot open %1 yet.</source>
        <translation>此版本还不能打开 %1。</translation>
    </message>
    <message>
        <source>A setup is running: %1</source>
        <translation>正在进行的安装：%1</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Sho&amp;w it</source>
        <translation>显示(&amp;W)</translation>
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
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Removing what the unfinished setup had made…</source>
        <translation>正在移除未完成安装的内容…</translation>
    </message>
</context>
</TS>
