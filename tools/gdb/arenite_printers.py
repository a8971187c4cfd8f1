# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""gdb shows the heaps, pools, blocks, handles and pointers of Arenite.

    (gdb) source .../share/arenite/gdb/arenite_printers.py      once, or in ~/.gdbinit
    (gdb) print heap            ordered_heap: 3 objects in use, 160 bytes; 1 block of 262144 bytes
    (gdb) print *block          with a map of its bits: # taken, . free

A shared library that is installed brings it to gdb by itself. Nothing is called in the program: it may
be a core dump.
"""
import gdb
import gdb.printing

GRANULE = 8
WORD = 64
GENERATION_SHIFT = 48
MAP_COLUMNS = 64
MAP_ROWS = 16
MOST_BLOCKS = 64

BLOCK_STATES = ((1, 'open'), (2, 'sweepable'), (4, 'empty'), (8, 'large'), (16, 'idle'))


def names_of(state, table):
    return ' '.join(name for bit, name in table if state & bit) or 'closed'


def plural(n, word):
    return f'{n} {word}' + ('' if n == 1 else 's')


def atomic(value):
    """What is in a std::atomic: of libstdc++ (_M_i), of libc++ (__a_), or an ordinary variable."""
    for path in (('_M_i',), ('_M_b', '_M_p'), ('__a_', '__a_value')):
        try:
            inner = value
            for member in path:
                inner = inner[member]
            return inner
        except (gdb.error, KeyError):
            continue
    return value


def in_order(tree):
    """The nodes of an address_list, lowest address first."""
    stack, node, seen = [], tree['root_'], 0
    while (stack or int(node) != 0) and seen < MOST_BLOCKS:
        while int(node) != 0:
            stack.append(node)
            node = node['left']
        node = stack.pop()
        seen += 1
        yield node.dereference()
        node = node['right']


def bit_map(words, count, one, zero):
    """Rows of a map of bits; what is beyond the last row is told in numbers."""
    bits = []
    for i in range((min(count, MAP_COLUMNS * MAP_ROWS) + WORD - 1) // WORD):
        word = int(words[i]) & (1 << WORD) - 1
        bits += [one if word >> b & 1 else zero for b in range(WORD)]
    text = ''.join(bits[:count])
    for begin in range(0, len(text), MAP_COLUMNS):
        yield begin, text[begin:begin + MAP_COLUMNS]


def words_behind(value):
    word = gdb.lookup_type('unsigned long long')
    return (value.address + 1).cast(word.pointer())


class Pointer:
    """intrusive_ptr, unique_ptr, observer_ptr."""

    def __init__(self, value):
        self.value = value
        self.object = value['object_']

    def name(self):
        return str(self.value.type.strip_typedefs()).split('<')[0].split('::')[-1]

    def to_string(self):
        if int(self.object) == 0:
            return f'{self.name()}: null'
        return f'{self.name()} to {int(self.object):#x}{self.count()}'

    def count(self):
        try:
            word = int(atomic(self.object.dereference()['word_']))
            return f', count word {word:#x}'
        except gdb.error:
            return ''

    def children(self):
        if int(self.object) != 0:
            yield 'object', self.object.dereference()


class Handle:
    """handle<T>: what it leads to, if the object is still where the handle saw it last."""

    def __init__(self, value):
        self.type = value.type.strip_typedefs().template_argument(0)
        self.namespace = str(value.type.strip_typedefs()).partition('::handle<')[0]
        handle = value['handle_']
        self.seen = int(handle['cached_'])
        self.id = int(handle['id_']['bits_'])

    def lives_there(self):
        try:
            # The library may have no debug information: its type is said here.
            secret = gdb.parse_and_eval(f"*(unsigned long long*)&'{self.namespace}::detail::word_secret'")
            at = gdb.Value(self.seen - 8).cast(gdb.lookup_type('unsigned long long').pointer())
            return int(at.dereference()) == self.id ^ self.seen ^ int(secret)
        except gdb.error:
            return False

    def to_string(self):
        if self.id == 0:
            return 'handle to nothing'
        known = 'at' if self.lives_there() else 'moved or dead, last seen at'
        return (f'handle of slot {self.id & 0xffffffff}, generation {self.id >> GENERATION_SHIFT}: '
                f'{known} {self.seen:#x}')

    def children(self):
        if self.id != 0 and self.lives_there():
            yield 'object', gdb.Value(self.seen).cast(self.type.pointer()).dereference()


class Linear:
    """linear_resource."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        begin, top = int(self.value['begin_']), int(self.value['top_'])
        return (f'linear_resource: {top - begin} of {int(self.value["capacity_"])} bytes in use'
                f', from {begin:#x}')


class Block:
    """block: its state, and the map of its granules (of slots, in a pool)."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        state = int(self.value['state'])
        return (f'block at {int(self.value.address):#x}, {int(self.value["granules"]) * GRANULE} bytes, '
                f'{names_of(state, BLOCK_STATES)}, {int(self.value["live"])} live')

    def children(self):
        if int(self.value['state']) & 8:
            return
        for begin, row in bit_map(words_behind(self.value), int(self.value['granules']), '#', '.'):
            yield f'granules {begin}', row


class SlabBlock:
    """slab_block: a row of bits for each slab; a bit that is set is a free slot."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f'slab_block: {plural(int(self.value["slab_count"]), "slab")}'

    def children(self):
        words = words_behind(self.value)
        free = int(self.value['free_slabs'])
        slabs = self.value['slabs']
        for i in range(1, slabs.type.range()[1] + 1):
            slab = slabs[i]
            if free >> i & 1 or int(slab['tag']) == 0:
                continue
            slots = int(slab['slots'])
            first = int(slab['begin']) // 1024
            for begin, row in bit_map(words + first, slots, '.', '#'):
                yield f'slab {i}, {slots} slots of {int(slab["slot_bytes"])} bytes, from {begin}', row


class Heap:
    """ordered_heap: objects and bytes of each size that has some, and its blocks. The class's header has only room for
    the heap behind it: a source that includes detail/slab_heap.hpp, or the library, is compiled with -g."""

    def __init__(self, value):
        scope = str(value.type.strip_typedefs().unqualified()).rpartition('::')[0]
        heap = gdb.lookup_type(f'{scope}::detail::slab_heap')
        self.core = value['core_']['place_'].address.cast(heap.pointer()).dereference()
        self.classes = self.core['classes_']['all_']
        last = self.classes.type.range()[1]
        self.live = [(int(self.classes[i]['slot_bytes_']), int(self.classes[i]['live_']))
                     for i in range(last)]
        self.large = self.core['slabs_']['blocks_']['large_']

    def to_string(self):
        objects = sum(n for _, n in self.live)
        in_use = sum(size * n for size, n in self.live)
        source = self.core['slabs_']['blocks_']
        blocks = int(source['blocks_']['size_'])
        return (f'ordered_heap: {plural(objects, "slot")} of {in_use} bytes in use; '
                f'{plural(blocks, "block")}, {int(source["held_"]["reserved"])} bytes reserved')

    def children(self):
        for size, n in self.live:
            if n != 0:
                yield f'slots of {size} bytes', n
        for i, block in enumerate(in_order(self.core['slabs_']['blocks_']['blocks_'])):
            yield f'block {i}', block.address


class Pool:
    """pool_resource."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        source = self.value['source_']
        return (f'pool_resource: slots of {int(self.value["cache_"]["slot_bytes_"])} bytes, '
                f'{plural(int(source["blocks_"]["size_"]), "block")}, '
                f'{int(source["held_"]["reserved"])} bytes reserved, '
                f'{int(self.value["taken_"])} slots taken (those in its cache too)')

    def children(self):
        for i, block in enumerate(in_order(self.value['source_']['blocks_'])):
            yield f'block {i}', block


class Unknown:
    """A class that the program was compiled without the members of."""

    def __init__(self, value):
        self.type = value.type

    def to_string(self):
        return (f'{self.type.unqualified().strip_typedefs()}: its members are not in the debug information; '
                f'compile a file that uses it with -femit-class-debug-always (g++) or -fstandalone-debug (clang)')


def or_hint(printer):
    """The printer, or the reason why there is none for this value."""
    def make(value):
        try:
            made = printer(value)
            made.to_string()
            return made
        except gdb.error:
            return Unknown(value)
    return make


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter('arenite')
    ns = r'^arenite::(v\d+(_\d+)?(_private)?(_checked|_malloc)?::)?'
    for name, printer in (('intrusive_ptr<.*>', Pointer), ('unique_ptr<.*>', Pointer),
                          ('observer_ptr<.*>', Pointer), ('handle<.*>', Handle),
                          ('linear_resource', Linear), ('detail::block', Block),
                          ('detail::slab_block', SlabBlock),
                          ('ordered_heap', Heap), ('pool_resource', Pool)):
        collection.add_printer(name.split('<')[0], f'{ns}{name}$', or_hint(printer))
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
