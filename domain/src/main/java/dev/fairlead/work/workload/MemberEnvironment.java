package dev.fairlead.work.workload;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.launcher.MemberValues;
import dev.fairlead.work.launcher.MemberValuesBuilder;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Environment variables of a member: first the variables of its role, then those set by Fairlead.
 * The names that Fairlead sets are refused at submit, so nothing of the user's is replaced. Pure.
 * docs/reference/program.md lists the variables.
 */
public final class MemberEnvironment {
  /** Losing a member ends the collectives of its peers, which torchrun counts as a failure. */
  private static final int ELASTIC_RESTARTS = 1_000;

  /**
   * Restarts for each replaced member: its peers lose it and rendezvous, and rendezvous again if
   * the lost member was still alive.
   */
  private static final int RESTARTS_A_REPAIR = 3;

  private static final long MILLI = 1_000;
  private static final long MEBIBYTE = 1L << 20;

  private MemberEnvironment() {}

  /**
   * @param namespace namespace of the attempt's objects
   * @param clusterDomain DNS suffix of the cluster's services, such as {@code cluster.local}
   */
  public static SortedMap<String, String> of(
      Job job, Attempt attempt, Member member, String namespace, String clusterDomain) {
    RoleSpec role = role(job, member);
    SortedMap<String, String> env = new TreeMap<>(role.env());
    env.put("FAIRLEAD_JOB_ID", job.id().text());
    env.put("FAIRLEAD_JOB_NAME", job.name());
    env.put("FAIRLEAD_ATTEMPT", Integer.toString(attempt.number()));
    env.put("FAIRLEAD_ROLE", member.role());
    env.put("FAIRLEAD_INDEX", Integer.toString(member.index()));
    env.put("FAIRLEAD_GPUS", Integer.toString(gpus(role)));
    gang(env, job, attempt, member, namespace, clusterDomain);
    env.put("FAIRLEAD_ARRAY_INDEX", Integer.toString(attempt.element()));
    ArrayRange array = job.spec().array();
    if (array != null) {
      env.put("FAIRLEAD_ARRAY_SIZE", Integer.toString(array.count()));
      /* Indexed Jobs set the same variable. */
      env.putIfAbsent("JOB_COMPLETION_INDEX", Integer.toString(attempt.element()));
    }
    if (job.spec().preemption().checkpointTimeout() != null) {
      env.put("FAIRLEAD_CHECKPOINT_FILE", ObjectNames.CHECKPOINT_FILE);
    }
    if (job.spec().workdir() != null) {
      env.put("FAIRLEAD_WORKDIR", WorkdirSpec.DIRECTORY);
    }
    if (job.spec().elastic()) {
      env.put("FAIRLEAD_MIN_MEMBERS", Integer.toString(job.spec().fewestMembers()));
      env.put("FAIRLEAD_MAX_MEMBERS", Integer.toString(job.spec().members()));
    }
    if (role.gpu().kind() == GpuRequest.Kind.NONE) {
      env.put("NVIDIA_VISIBLE_DEVICES", "void");
    }
    Launcher launcher = Launchers.of(job.spec().launcher());
    values(job, attempt, member, namespace, clusterDomain)
        .variables(launcher, job.spec().gangRepair() != null)
        .forEach((name, value) -> env.putIfAbsent(name, value));
    return Collections.unmodifiableSortedMap(env);
  }

  /**
   * Host name of a member inside its attempt, {@code role-index}. Stays when the member is
   * replaced.
   */
  public static String hostname(Member member) {
    return member.key();
  }

  /**
   * Full DNS name of a member of a gang. torchrun recognizes itself as the host of the rendezvous
   * only by the full name.
   */
  public static String address(
      Attempt attempt, Member member, String namespace, String clusterDomain) {
    return hostname(member) + "." + domain(attempt, namespace, clusterDomain);
  }

  /**
   * Returns whether the members and their ranks stay the same for the whole attempt. Members of an
   * elastic gang join and leave, and a repaired gang gets members with other indexes.
   */
  public static boolean fixed(JobSpec spec) {
    return !spec.elastic() && spec.gangRepair() == null;
  }

  /**
   * Host file of a fixed gang: a line {@code NAME slots=N} for each member in order of rank, where
   * N is the number of processes that torchrun would start. OpenMPI and DeepSpeed read this format.
   * The names are relative to the namespace, which is in the DNS search path of the members: 10,000
   * full names would not fit into a ConfigMap.
   */
  public static String hosts(Job job, Attempt attempt) {
    String domain = ObjectNames.attempt(attempt.id());
    return attempt.members().stream()
        .sorted(byRank(job))
        .map(m -> hostname(m) + "." + domain + " slots=" + processes(role(job, m)) + "\n")
        .collect(Collectors.joining());
  }

  /** DNS name of the first member of a gang for pods of its namespace, as in {@link #hosts}. */
  public static String head(Job job, Attempt attempt) {
    Member first = Collections.min(attempt.members(), byRank(job));
    return hostname(first) + "." + ObjectNames.attempt(attempt.id());
  }

  /** Environment of every member, regardless of its launcher. */
  private static void gang(
      SortedMap<String, String> env,
      Job job,
      Attempt attempt,
      Member member,
      String namespace,
      String clusterDomain) {
    env.put("FAIRLEAD_HEAD", head(job, attempt, namespace, clusterDomain));
    if (!job.spec().elastic()) {
      env.put("FAIRLEAD_MEMBERS", Integer.toString(job.spec().members()));
    }
    if (fixed(job.spec())) {
      env.put("FAIRLEAD_RANK", Long.toString(rank(job, attempt, member)));
    }
    if (job.spec().gang()) {
      env.put("FAIRLEAD_DOMAIN", domain(attempt, namespace, clusterDomain));
      if (fixed(job.spec())) {
        env.put("FAIRLEAD_HOSTS_FILE", ObjectNames.HOSTS_FILE);
      }
    }
  }

  /** A single member has no service, so its full name would not resolve. */
  private static String head(Job job, Attempt attempt, String namespace, String clusterDomain) {
    if (!job.spec().gang()) {
      return "localhost";
    }
    Member first = Collections.min(attempt.members(), byRank(job));
    return address(attempt, first, namespace, clusterDomain);
  }

  private static String domain(Attempt attempt, String namespace, String clusterDomain) {
    return String.join(".", ObjectNames.attempt(attempt.id()), namespace, "svc", clusterDomain);
  }

  /**
   * The command of a member, with the launcher's words before it and after its setup.
   *
   * @return the command of the image if the job has none
   */
  public static CommandSpec command(
      Job job, Attempt attempt, Member member, String namespace, String clusterDomain) {
    Launcher launcher = Launchers.of(job.spec().launcher());
    if (Launchers.find(launcher.name()).isEmpty()) {
      return CommandSpec.exec(launcher.wrapper());
    }
    return SetupScript.before(
        role(job, member)
            .command()
            .after(values(job, attempt, member, namespace, clusterDomain).wrapper(launcher)));
  }

  private static MemberValues values(
      Job job, Attempt attempt, Member member, String namespace, String clusterDomain) {
    JobSpec spec = job.spec();
    RoleSpec role = role(job, member);
    GangRepairSpec repair = spec.gangRepair();
    SortedMap<String, List<String>> hosts = new TreeMap<>();
    if (Launchers.of(spec.launcher()).namesMembers()) { // grows with the square of the gang's size
      attempt.members().stream()
          .sorted(byRank(job))
          .forEach(m ->
              hosts
                  .computeIfAbsent(m.role(), of -> new ArrayList<>())
                  .add(spec.gang() ? address(attempt, m, namespace, clusterDomain) : "localhost"));
    }
    return MemberValuesBuilder.builder()
        .role(member.role())
        .index(member.index())
        .processes(processes(role))
        .cpus(Math.max(1, role.cpuMilli() / MILLI))
        .memory(role.memoryMiB() * MEBIBYTE)
        .attempt(attempt.id().bare())
        .head(head(job, attempt, namespace, clusterDomain))
        .hostsFile(spec.gang() && fixed(spec) ? ObjectNames.HOSTS_FILE : "")
        .members(spec.members())
        .least(spec.fewestMembers())
        .restarts(repair == null ? ELASTIC_RESTARTS : repair.max() * RESTARTS_A_REPAIR)
        .fixed(fixed(spec) ? new MemberValues.Gang(rank(job, attempt, member), world(spec)) : null)
        .hosts(hosts)
        .build();
  }

  /** Roles as the job lists them, then by index. */
  private static Comparator<Member> byRank(Job job) {
    List<String> roles = job.spec().roles().stream().map(RoleSpec::name).toList();
    return Comparator.comparingInt((Member m) -> roles.indexOf(m.role()))
        .thenComparingInt(Member::index);
  }

  private static long rank(Job job, Attempt attempt, Member member) {
    Comparator<Member> order = byRank(job);
    return attempt.members().stream().filter(m -> order.compare(m, member) < 0).count();
  }

  /** Processes of all members. */
  private static int world(JobSpec spec) {
    return spec.roles().stream().mapToInt(role -> role.count() * processes(role)).sum();
  }

  /** One process per device. Returns 1 for less than a whole GPU. */
  private static int processes(RoleSpec role) {
    return Math.max(1, gpus(role));
  }

  /** Number of GPUs or slices that a member sees. A part of a GPU counts as one. */
  private static int gpus(RoleSpec role) {
    return switch (role.gpu().kind()) {
      case WHOLE, MIG -> role.gpu().count();
      case FRACTION, MEMORY -> 1;
      case NONE -> 0;
    };
  }

  private static RoleSpec role(Job job, Member member) {
    return job.spec().roles().stream()
        .filter(r -> r.name().equals(member.role()))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no role " + member.role() + " in " + job.name()));
  }
}
