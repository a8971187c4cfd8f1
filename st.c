#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <stdio.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
int main(){ errno=0; void*p=reallocarray(0,SIZE_MAX/2,3); printf("reallocarray %p %d\n",p,errno==ENOMEM); char*q=malloc(10); strcpy(q,"abc"); errno=0; p=reallocarray(q,SIZE_MAX,2); printf("kept %p %s %d\n",p,q,errno==ENOMEM);
 errno=0; p=calloc(SIZE_MAX,2); printf("calloc %p %d\n",p,errno==ENOMEM); errno=0; p=malloc(SIZE_MAX); printf("malloc %p %d\n",p,errno==ENOMEM); errno=0; p=pvalloc(SIZE_MAX-100); printf("pvalloc %p %d\n",p,errno==ENOMEM); p=pvalloc(1); printf("pvalloc(1) %zu %d\n",malloc_usable_size(p),(int)((uintptr_t)p%4096)); p=pvalloc(0); printf("pvalloc(0) %d\n",p!=0); errno=5; free(malloc(100)); free(malloc(1<<20)); void*x=malloc(300<<20); free(x); printf("errno kept %d\n",errno==5);
 struct mallinfo2 m=mallinfo2(); printf("uordblks %d\n",m.uordblks>0); malloc_info(0,stdout); printf("info(1) %d\n",malloc_info(1,stdout)); printf("usable(NULL) %zu\n",malloc_usable_size(NULL)); printf("aligned_alloc(3) %p %d\n",aligned_alloc(3,10),errno==EINVAL); printf("aligned_alloc(0) %p\n",aligned_alloc(0,10)); printf("memalign(0) %d\n",memalign(0,10)!=0); errno=0; printf("memalign(2^63) %p %d\n", memalign((size_t)1<<63,8), errno==ENOMEM);
 printf("realloc(q,0) %p\n",realloc(q,0)); printf("trim %d\n",malloc_trim(0)>=0); return 0; }
