"""Sentences of the tools that write, ask, and reach outside: documents, people, mail, web."""

TEXTS: dict[str, tuple[str, str]] = {
    "tool.outside.status": (
        "{host} 没有给出结果（HTTP {status}）。可以稍后再试；如果一直这样，"
        "请管理员检查配置里的地址和密钥。",
        "{host} gave no result (HTTP {status}). Try later; if it stays so, its address and key in"
        " the configuration need a look.",
    ),
    "tool.outside.no_json": (
        "{host} 的回答读不懂；请管理员检查它的地址和 JSON 设置。",
        "The answer of {host} cannot be read; its address in the configuration needs a look.",
    ),
    "tool.ask.title": ("请提问的人补充：{question}", "Ask the person: {question}"),
    "tool.mail.title": ("发邮件给 {to}：{subject}", "Mail to {to}: {subject}"),
    "tool.mail.sent": (
        "邮件已发给 {to}，主题“{subject}”。",
        "The mail “{subject}” was sent to {to}.",
    ),
    "tool.mail.login": (
        "邮件没有发出：{host} 不接受登录。请管理员检查 THREADMATE_SMTP_URL 里的用户名和密码。",
        "The mail was not sent: {host} refuses the login. Its user and password in"
        " THREADMATE_SMTP_URL need a look.",
    ),
    "tool.mail.unreachable": (
        "邮件没有发出：连不上邮件服务器 {host}。请稍后再试。",
        "The mail was not sent: the mail server {host} cannot be reached. Try later.",
    ),
    "tool.mail.refused": (
        "邮件没有发出：邮件服务器不接受发给 {to} 的信（{reason}）。请核对地址。",
        "The mail was not sent: the server does not take mail to {to} ({reason}). Please check the"
        " address.",
    ),
    "tool.mail.unknown": (
        "连接中断，不确定发给 {to} 的邮件是否已经发出；请先确认再重发。",
        "The connection broke; the mail to {to} may have been sent. Please check before sending it"
        " again.",
    ),
    "tool.web.title": ("搜索网页：{query}", "Search the web: {query}"),
    "tool.web.none": (
        "网上没有找到与“{query}”相关的内容；可以换几个词再搜。",
        "The web search found nothing for “{query}”; other words may help.",
    ),
    "tool.web.down": (
        "网页搜索现在用不了；可以稍后再试，或请管理员在 [web] 里换一个搜索服务。",
        "The web search does not work right now; try later, or set another provider in [web].",
    ),
    "tool.weather.title": ("查看天气：{city}", "Look at the weather: {city}"),
    "tool.weather.head": ("{city}的天气：", "The weather of {city}:"),
    "tool.weather.now": (
        "{city}现在 {temperature} °C，{sky}。",
        "{city}: {temperature} °C now, {sky}.",
    ),
    "tool.weather.day": ("{date}：{sky}，{low} 至 {high} °C", "{date}: {sky}, {low} to {high} °C"),
    "tool.weather.rain": ("，降水概率 {rain}%", ", chance of rain {rain}%"),
    "tool.weather.wind": ("，最大风速 {wind} km/h", ", wind up to {wind} km/h"),
    "tool.weather.unknown": (
        "找不到名为“{city}”的城市；请写全名，比如 北京 或 Paris。",
        "No city is called “{city}”; give its full name, like Paris or Beijing.",
    ),
    "tool.weather.unreadable": (
        "天气服务的回答读不懂；请稍后再试。",
        "The answer of the weather service cannot be read; try later.",
    ),
    "tool.write.title": ("写文档：{title}", "Write a document: {title}"),
    "tool.write.saved": ("已保存到知识库：{name}{link}", "Saved in the knowledge: {name}{link}"),
    "tool.write.link": ("，链接 {link}", ", link {link}"),
    "tool.write.summary": ("已保存 {name}", "Saved {name}"),
    "tool.write.drafted": (
        "“{title}”只是草稿，没有保存；请在回答里给出全文。",
        "“{title}” is only a draft, nothing was saved; give its text in the answer.",
    ),
    "tool.write.failed": (
        "文档“{name}”没能保存；请换一个标题或稍后再试。",
        "The document “{name}” could not be saved; try another title, or later.",
    ),
    "tool.write.nameless": ("文档", "document"),
    "tool.write.mark": (
        "由 {teammate} 应 {person} 的要求写于 {date}。运行 {run}",
        "Written by {teammate} for {person} on {date}. Run {run}",
    ),
    "tool.write.sources": ("来源：", "Sources:"),
    "weather.code.0": ("晴", "clear"),
    "weather.code.1": ("大致晴朗", "mainly clear"),
    "weather.code.2": ("多云", "partly cloudy"),
    "weather.code.3": ("阴", "overcast"),
    "weather.code.45": ("雾", "fog"),
    "weather.code.48": ("雾凇", "rime fog"),
    "weather.code.51": ("小毛毛雨", "light drizzle"),
    "weather.code.53": ("毛毛雨", "drizzle"),
    "weather.code.55": ("大毛毛雨", "heavy drizzle"),
    "weather.code.56": ("冻毛毛雨", "freezing drizzle"),
    "weather.code.57": ("强冻毛毛雨", "heavy freezing drizzle"),
    "weather.code.61": ("小雨", "light rain"),
    "weather.code.63": ("中雨", "rain"),
    "weather.code.65": ("大雨", "heavy rain"),
    "weather.code.66": ("冻雨", "freezing rain"),
    "weather.code.67": ("强冻雨", "heavy freezing rain"),
    "weather.code.71": ("小雪", "light snow"),
    "weather.code.73": ("中雪", "snow"),
    "weather.code.75": ("大雪", "heavy snow"),
    "weather.code.77": ("米雪", "snow grains"),
    "weather.code.80": ("小阵雨", "light showers"),
    "weather.code.81": ("阵雨", "showers"),
    "weather.code.82": ("强阵雨", "violent showers"),
    "weather.code.85": ("小阵雪", "light snow showers"),
    "weather.code.86": ("阵雪", "heavy snow showers"),
    "weather.code.95": ("雷阵雨", "thunderstorm"),
    "weather.code.96": ("雷阵雨伴小冰雹", "thunderstorm with light hail"),
    "weather.code.99": ("雷阵雨伴冰雹", "thunderstorm with heavy hail"),
    "weather.code.unknown": ("天气不明", "unknown sky"),
}
