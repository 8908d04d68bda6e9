"""Sentences of `core.knowledge.parse`: what could not be read, and the way out."""

TEXTS: dict[str, tuple[str, str]] = {
    "parse.too_large": (
        "“{name}”有 {size} MB，超过 {limit} MB 的上限；请拆分或压缩后再上传。",
        "“{name}” is {size} MB; the limit is {limit} MB. Split it or make it smaller and "
        "upload it again.",
    ),
    "parse.empty": (
        "“{name}”里没有文字；请确认上传的是完整的文件。",
        "“{name}” holds no text; please check that it is the complete file.",
    ),
    "parse.empty_pages": (
        "“{name}”是空白的（{pages} 页）；请确认上传的是正确的文件。",
        "“{name}” is blank (pages: {pages}); please check that it is the right file.",
    ),
    "parse.encrypted": (
        "“{name}”有密码保护，读不了；请去掉密码后再上传。",
        "“{name}” is protected by a password and cannot be read; remove the password and upload"
        " it again.",
    ),
    "parse.damaged": (
        "“{name}”已损坏或不完整；请重新导出后再上传。",
        "“{name}” is damaged or incomplete; export it again and upload it again.",
    ),
    "parse.html_instead": (
        "“{name}”其实是一个网页，不是 {kind} 文件，多半是没有权限下载时的登录页；"
        "请检查机器人的 files:read 权限，或重新上传原文件。",
        "“{name}” is a web page, not a {kind} file: most likely the login page that comes "
        "instead of a "
        "download. Check the bot's files:read permission, or upload the original again.",
    ),
    "parse.unsupported": (
        "“{name}”的格式（{kind}）不支持；请转成 PDF、Word、Excel、PPT 或文本后再上传。",
        "“{name}” has a format ({kind}) that cannot be read; convert it to PDF, Word, Excel, "
        "PowerPoint "
        "or text and upload it again.",
    ),
    "parse.picture": (
        "“{name}”是图片，图片里的文字读不了；请上传带文字的版本。",
        "“{name}” is a picture, and text in pictures cannot be read; upload a version with text.",
    ),
    "parse.pictures_only": (
        "“{name}”里只有图片，没有文字；请先做文字识别（OCR）再上传。",
        "“{name}” holds only pictures and no text; run text recognition (OCR) on it and upload "
        "it again.",
    ),
    "parse.legacy_office": (
        "“{name}”是旧版 Office 格式；请另存为 docx、xlsx 或 pptx 后再上传。",
        "“{name}” has an old Office format; save it as docx, xlsx or pptx and upload it again.",
    ),
    "parse.archive_bomb": (
        "“{name}”解压后过大（约 {size} MB），没有打开；请解压后只上传需要的文件。",
        "“{name}” would grow too large when unpacked (about {size} MB) and was not opened; "
        "unpack it and "
        "upload only the files you need.",
    ),
    "parse.archive_entries": (
        "“{name}”里有 {entries} 个文件，超过 {limit} 个的上限；请只上传需要的文件。",
        "“{name}” holds {entries} files; the limit is {limit}. Upload only the files you need.",
    ),
    "parse.nested_archive": (
        "“{name}”是压缩包里的压缩包，没有展开；请解压后单独上传。",
        "“{name}” is an archive inside an archive and was not opened; unpack it and upload it "
        "by itself.",
    ),
    "parse.entities": (
        "“{name}”含有不安全的 XML 定义，没有打开；请用 Office 重新保存后再上传。",
        "“{name}” holds unsafe XML definitions and was not opened; save it again with Office "
        "and upload it again.",
    ),
    "parse.needs_ocr": (
        "“{name}”是扫描件（{pages} 页），没有可读的文字；请先做文字识别（OCR）再上传。",
        "“{name}” is a scan (pages: {pages}) without readable text; run text recognition (OCR) on "
        "it and upload it again.",
    ),
    "parse.partial": (
        "“{name}”读了 {read}/{pages} 页，其余见说明。",
        "{read} of {pages} pages of “{name}” were read; the rest is listed.",
    ),
    "parse.partly": (
        "“{name}”只读了一部分，其余见说明。",
        "Only a part of “{name}” was read; the rest is listed.",
    ),
    "parse.garbled": (
        "“{name}”里的文字是乱码，无法识别编码；请另存为 UTF-8 或重新导出 PDF 后再上传。",
        "The text of “{name}” is garbled; save it as UTF-8, or export the PDF again, and upload"
        " it again.",
    ),
    "parse.too_slow": (
        "“{name}”读了 {seconds} 秒还没读完，已停止；请拆成小一些的文件再上传。",
        "Reading “{name}” took longer than {seconds} seconds and was stopped; split it into "
        "smaller files "
        "and upload them.",
    ),
    "parse.memory": (
        "“{name}”读取时占用内存过多，已停止；请拆成小一些的文件再上传。",
        "Reading “{name}” needed too much memory and was stopped; split it into smaller files "
        "and upload them.",
    ),
    "parse.too_deep": (
        "“{name}”嵌套太深，读不了；请简化或重新导出后再上传。",
        "“{name}” is nested too deeply to be read; simplify it or export it again and upload it"
        " again.",
    ),
    "parse.crashed": (
        "“{name}”让解析程序出错退出，没有读成；请重新导出或换一种格式上传。",
        "“{name}” made the reader fail and was not read; export it again, or upload it in "
        "another format.",
    ),
    "parse.gone": (
        "“{name}”在读取前就不见了；请重新上传。",
        "“{name}” was gone before it could be read; please upload it again.",
    ),
    "parse.page_scanned": (
        "第 {pages} 页没有可读的文字（扫描图片）；需要时请先做文字识别。",
        "Page {pages}: no readable text (scanned); run text recognition if you need it.",
    ),
    "parse.pages_over": (
        "第 {pages} 页没有读：一个文件最多读 {limit} 页；需要时请拆分上传。",
        "Pages {pages} were not read: the limit is {limit} pages a file. Split it if you need "
        "them.",
    ),
    "parse.text_over": (
        "超过 {limit} 字的部分没有读；需要时请拆分上传。",
        "Text beyond {limit} characters was not read; split the file if you need it.",
    ),
    "parse.members_over": (
        "只读了前 {limit} 个文件；其余请单独上传。",
        "Only the first {limit} files were read; upload the others by themselves.",
    ),
    "parse.member_too_large": (
        "“{name}”超过 {limit} MB，没有读；请单独上传。",
        "“{name}” is over {limit} MB and was not read; upload it by itself.",
    ),
    "parse.member_skipped": (
        "“{name}”没有读；请单独上传。",
        "“{name}” was not read; upload it by itself.",
    ),
}
