/*
 * confine COMMAND...: runs a command under what Lambda's sandbox refuses, as the one child of an init that reaps
 * nobody else's children. A filter without no_new_privs takes CAP_SYS_ADMIN, which the command is to give up itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define UNLESS_ANY(bits, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip)
#define GIVE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define REFUSE(call, error) UNLESS(call, 1), GIVE(error)

/* Every block leaves the number of the call where the next one looks for it, or returns. */
static struct sock_filter filter[] = {
  FIELD(arch),
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  FIELD(nr),
  REFUSE(__NR_ptrace, EPERM),
  REFUSE(__NR_unshare, EPERM),
  /* Its flags are behind a pointer, which no filter follows: the C library falls back to clone. */
  REFUSE(__NR_clone3, ENOSYS),
  UNLESS(__NR_clone, 4),
  FIELD(args[0]),
  UNLESS_ANY(CLONE_NEWUSER, 1),
  GIVE(EPERM),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  UNLESS(__NR_prctl, 3),
  FIELD(args[0]),
  UNLESS(PR_SET_NO_NEW_PRIVS, 1),
  GIVE(EACCES),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static int fail(const char *what) {
  perror(what);
  return 125;
}

int main(int count, char **words) {
  if (count < 2) return 125;
  pid_t child = fork();
  if (child < 0) return fail("fork");
  if (child > 0) {
    int status;
    if (waitpid(child, &status, 0) < 0) return fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  setsid();
  if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) return fail("seccomp");
  execvp(words[1], words + 1);
  return fail(words[1]);
}
