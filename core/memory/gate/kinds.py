"""Kinds of everyday things and their members: who forgets fruit forgets apples. zh and en."""

from __future__ import annotations

KINDS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("fruit", "水果"), ("apple", "banana", "orange", "strawberr", "grape", "mango", "peach", "pear", "cherr", "melon", "pineapple", "berry", "berries", "kiwi", "lemon", "苹果", "香蕉", "橙", "橘", "草莓", "葡萄", "芒果", "桃", "梨", "樱桃", "西瓜", "蜜瓜", "菠萝", "荔枝", "榴莲", "柚", "蓝莓", "猕猴桃", "柠檬")),
    (("drink", "beverage", "饮料", "喝的", "饮品"), ("coffee", "tea", "juice", "cola", "beer", "wine", "milk", "espresso", "latte", "water", "咖啡", "茶", "果汁", "可乐", "啤酒", "酒", "牛奶", "美式", "拿铁", "豆浆")),
    (("vegetable", "蔬菜"), ("carrot", "spinach", "broccoli", "tomato", "potato", "cucumber", "celery", "onion", "萝卜", "菠菜", "西兰花", "番茄", "土豆", "黄瓜", "芹菜", "洋葱", "白菜", "香菜")),
    (("meat", "肉"), ("beef", "pork", "lamb", "chicken", "bacon", "steak", "牛肉", "猪肉", "羊肉", "鸡肉", "培根", "牛排")),
    (("food", "meal", "吃的", "食物", "饮食", "美食", "口味"), ("food", "eat", "spicy", "sushi", "pizza", "noodle", "rice", "soup", "吃", "辣", "火锅", "面", "饭", "菜", "寿司", "披萨", "汤")),
    (("sport", "exercise", "运动", "体育"), ("running", "swim", "football", "basketball", "tennis", "yoga", "climb", "cycling", "badminton", "gym", "跑步", "游泳", "足球", "篮球", "网球", "瑜伽", "攀岩", "骑行", "羽毛球", "健身")),
    (("pet", "animal", "宠物", "动物"), ("dog", "cat", "rabbit", "hamster", "parrot", "bird", "狗", "猫", "兔", "仓鼠", "鹦鹉", "鸟")),
    (("editor", "编辑器"), ("vim", "emacs", "helix", "vscode", "vs code", "sublime", "intellij", "pycharm", "zed", "neovim")),
    (("programming", "编程", "language", "语言"), ("python", "rust", "golang", "java", "kotlin", "typescript", "javascript", "c++", "ruby", "scala")),
    (("music", "音乐"), ("jazz", "rock", "classical", "piano", "guitar", "hip hop", "opera", "爵士", "摇滚", "古典", "钢琴", "吉他", "民谣", "歌")),
    (("health", "健康", "身体", "medical"), ("allerg", "diabet", "asthma", "pregnan", "migraine", "过敏", "糖尿病", "哮喘", "怀孕", "偏头痛", "体检")),
    (("family", "家人", "家庭"), ("wife", "husband", "son", "daughter", "kid", "children", "mother", "father", "妻子", "老婆", "丈夫", "老公", "儿子", "女儿", "孩子", "妈", "爸")),
    (("travel", "旅行", "出行"), ("seat", "flight", "hotel", "train", "airline", "靠窗", "过道", "酒店", "高铁", "航班", "机票")),
)  # fmt: skip


def members(text: str) -> tuple[str, ...]:
    """What belongs to the kinds that a text names."""
    small = text.lower()
    return tuple(
        member for names, them in KINDS if any(name in small for name in names) for member in them
    )
