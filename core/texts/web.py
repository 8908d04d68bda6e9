"""Sentences of `core.http`."""

TEXTS: dict[str, tuple[str, str]] = {
    "web.private": (
        "“{host}”指向内部网络，不能打开；请换一个公开的网址。",
        "“{host}” leads into a private network and is not opened; use a public address.",
    ),
    "web.malformed": (
        "这个网址写法不规范，没有打开；请检查后再试。",
        "This web address is not written in a normal way and was not opened; check it.",
    ),
    "web.scheme": (
        "只能打开 http 和 https 网址，不支持 {scheme}。",
        "Only http and https addresses can be opened, not {scheme}.",
    ),
    "web.userinfo": (
        "网址里带有用户名或密码，没有打开；请去掉后再试。",
        "The address holds a user name or password and was not opened; remove it and try again.",
    ),
    "web.port": (
        "端口 {port} 不在允许的范围内；需要时请管理员在配置里加上。",
        "Port {port} is not allowed; the operator can add it to the configuration.",
    ),
    "web.unknown_host": (
        "找不到“{host}”：网址不对，或者这里连不上网。",
        "“{host}” was not found: the address is wrong, or there is no network here.",
    ),
    "web.unreachable": (
        "“{host}”连不上；请稍后再试。",
        "“{host}” cannot be reached; please try again later.",
    ),
    "web.too_slow": (
        "“{host}”在 {seconds} 秒内没有答复；请稍后再试。",
        "“{host}” did not answer within {seconds} seconds; please try again later.",
    ),
    "web.too_large": (
        "“{host}”的内容超过 {limit} MB，没有读完；请换一个小一些的。",
        "What “{host}” sent is over {limit} MB and was not read; use something smaller.",
    ),
    "web.redirects": (
        "这个网址连续跳转超过 {limit} 次，没有打开；请直接给出最终的网址。",
        "This address redirected more than {limit} times; give the final address.",
    ),
}
