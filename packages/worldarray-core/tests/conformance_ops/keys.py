from worldarray.chunks import chunk_key, key_codec, parse_chunk_key


def listed(given):
    keys = given.pop("keys")
    codec = key_codec(**given)
    return sorted(index for index in map(codec.decode, keys) if index is not None)


OPS = {
    "keys.encode": lambda given: chunk_key(**given),
    "keys.decode": lambda given: parse_chunk_key(**given),
    "keys.list": listed,
}
