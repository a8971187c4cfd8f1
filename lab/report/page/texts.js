// What a report says in words of its own: page.js uses it.
'use strict';
// ---- curves: over more than one experiment, or more than one metric ------------------------------
// Along the axis: the metrics `metric`... whose names end in `ending`, or, where there is an `x`,
// the values of this parameter. `series`: the parameter that tells lines apart, else the subjects.
// `alone`: the metrics have no plots of their own. `quotient`: two values of `series`, one line.
const curves = [
  { workload: 'cache/list', title: 'following a list (seed 3, figures 3.5 and 3.6)', x_title: 'working set, bytes', metric: '2^', series: 'pad', logarithmic: true, alone: true },
  { workload: 'cache/matrix', title: 'multiplying matrices (seed 3, figure 3.9)', x_title: 'rows', metric: 'multiply_ticks', x: 'rows', series: 'form', logarithmic: true },
  { workload: 'cache/matrix', title: 'naive / transposed (seed 3, figure 3.10)', x_title: 'rows', metric: 'multiply_ticks', x: 'rows', series: 'form', quotient: ['naive', 'transposed'] },
  { workload: 'memory/vectors', title: 'building vectors as they are written (seed 3, figure 2.2)', x_title: 'what the vector holds', metric: 'build_as_written', x: 'form', bars: true },
  { workload: 'soa/particles', title: 'updating two members of many (seed 3, figure 6.9)', x_title: 'layout', metric: 'update', x: 'form', bars: true },
  { workload: 'freelist/thesis', title: 'allocating, and freeing (seed 3, figure 6.6)', x_title: 'objects', metric: 'operations', x: 'count', logarithmic: true },
  { workload: 'latency/heap', title: 'an allocation, by percentile', x_title: 'percentile', metric: 'allocate_', ending: '%', logarithmic: true },
  { workload: 'latency/heap', title: 'a free, by percentile', x_title: 'percentile', metric: 'free_', ending: '%', logarithmic: true },
  { workload: 'memory/fragmentation', title: 'resident over live, as objects are replaced', x_title: 'replacements, of all objects', metric: 'resident_at_', alone: true },
  { workload: 'scale/objects', title: 'an object made and freed, among so many', x_title: 'objects', metric: 'object_at_' },
  { workload: 'offset/defragment', title: 'planning a pass: the longest of each twentieth of all passes', x_title: "passes made, % of the subject's own", metric: 'pass_at_', logarithmic: true, alone: true },
  { workload: 'handle/frames', title: 'walking the scene, as its parts come and go', x_title: 'frame', metric: 'walk_at_', alone: true },
  { workload: 'handle/frames', title: 'resident over live, as parts come and go', x_title: 'frame', metric: 'resident_at_', alone: true }
];

/// What a workload shows, in a sentence; of one not named here its own summary is told.
const shows = {
  'trace/replay': 'Every allocation and free of a real program, in its order: what a heap is worth where nobody had it in mind. (file=importer is made, not recorded.)',
  'latency/heap': 'Each call timed by itself: what the rare, slow ones cost a frame.',
  'latency/frames': 'A scene that grows frame by frame: the slowest allocations, and what they cost a frame.',
  'order/pair': 'One object goes, another comes, again and again: what a heap costs that is never quiet.',
  'order/scratch': 'A temporary object, again and again: what the shortest way through an allocator costs.',
  'order/read_free': 'Objects are freed in random order, as a scene is taken down: with and without a look at each.',
  'memory/phases': 'A program that changes what it holds: whether memory that one size left serves another.',
  'memory/cold': 'The first memory of a small program: page faults, and how few an allocator gets by with.',
  'memory/idle': 'What a program keeps that has freed nearly everything and then makes no call.',
  'memory/buffers': 'A few large buffers that come and go: files read, images decoded, meshes built.',
  'memory/large': 'Images, meshes, buffers: objects of 64 to 250 KB that come and go.',
  'freelist/fragmentation': 'The smallest region in which a program can run, for a byte of the most that is live.',
  'memory/fragmentation': 'Objects are replaced by others of random sizes, ten times over: how much memory that takes.',
  'scene/quadtree': 'How quickly a tree of many nodes is made, walked and taken down.',
  'scene/model': 'A real building, loaded many times into a city, then a random third of it replaced three times: what ageing does to the walk and the memory of a scene.',
  'scene/churn': 'Parts of a scene are deleted and added again, round after round: whether a scene that is edited stays as quick to walk as a fresh one.',
  'order/refill': 'Half of all nodes are freed at random and as many made again as one list: who reuses memory in the order in which it was freed makes the walk jump.',
  'scale/objects': 'What an object costs among a thousand others, and among very many: flat, or dearer the more there are.',
  'linear/thesis': 'What a call costs where everything dies together: no write, no free. The ratio says what a buffer kept for reuse saves, not how good malloc is (doc/lab.md).',
  'linear/cold': 'What it costs to fill memory that nobody has touched: page faults, and how few of them a resource gets by with.',
  'frames/loop': 'The memory of a frame: a thousand small allocations that all die when their frame is over.',
  'pool/thesis': "Objects of one size, freed at random and made again: the pools' own ground.",
  'handle/list': 'A list whose nodes lie anywhere is put in order while the program runs: what the walk costs before and after, and what the moving does.',
  'containers/list': 'A list is filled, cleared, thinned out and filled again: what the memory of its nodes costs, and how they lie afterwards.',
  'containers/churn': 'Elements of a list or of a hash table are erased and added in pairs: what an element costs in a container that never rests.',
  'freelist/thesis': 'Allocations in one region of fixed size, and their release in order or at random (seed 3, figure 6.6).',
  'pool/iterate': 'Walking over what lives in a pool with more and more holes in it.',
  'objects/pool': 'Objects that come and go: used again as they are, or made and ended.',
  'pointers/costs': 'What an owner of an object costs: to make and end one, to follow it, to share it.',
  'frames/vr': 'A program that has 11.1 ms a frame: which share of it goes into memory, and how many frames come too late.',
  'threads/scaling': 'Several threads allocate at once, for themselves or for each other.',
  'threads/false_sharing': "Threads that write beside each other, on one line of the cache: by their own fault, or by the allocator's.",
  'snapshot/undo': "A heap saved in memory and restored: an undo step, or the rollback of a network game.",
  'threads/shared_lines': "How often two threads find their objects on one line of the cache, by the allocator's doing.",
  'memory/vectors': 'Objects side by side in a vector against a vector of pointers to them: what one step aside costs.'
};
