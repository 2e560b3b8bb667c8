package dev.fairlead.work.workload;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec.Launcher;
import dev.fairlead.work.spec.RoleSpec;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Environment variables of a member: its role's own, then what Fairlead sets. The names that
 * Fairlead sets are refused at submit, so nothing of the user's is replaced. Pure.
 */
public final class MemberEnvironment {
  /** Port of torchrun's rendezvous on the first member. */
  public static final int MASTER_PORT = 29_500;

  /** A member that goes takes its peers' collectives with it: torchrun counts that as a failure. */
  private static final int ELASTIC_RESTARTS = 1_000;

  /**
   * For each member that is replaced: its peers lose it, then their own meeting, then, where the
   * lost one took itself for alive, that again.
   */
  private static final int RESTARTS_A_REPAIR = 3;

  /**
   * Seconds that members wait for the others, instead of ten minutes: Fairlead ends the gang before
   * when no other member comes.
   */
  private static final int JOIN_SECONDS = 3_600;

  /**
   * torchrun of PyTorch 2.15.0 tells the address of the processes' store in the first round alone;
   * a member that comes later waits for it in its own round, and all fail after a minute. With 1 it
   * is told in each round.
   */
  private static final String NO_SHARED_STORE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE";

  private MemberEnvironment() {}

  /**
   * @param namespace of the attempt's objects
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
    env.put("FAIRLEAD_ARRAY_INDEX", Integer.toString(attempt.element()));
    if (job.spec().array() != null) {
      // as pods of Indexed Jobs have it
      env.putIfAbsent("JOB_COMPLETION_INDEX", Integer.toString(attempt.element()));
    }
    if (job.spec().preemption().checkpointTimeout() != null) {
      env.put("FAIRLEAD_CHECKPOINT_FILE", ObjectNames.CHECKPOINT_FILE);
    }
    if (job.spec().elastic()) {
      env.put("FAIRLEAD_MIN_MEMBERS", Integer.toString(job.spec().fewestMembers()));
      env.put("FAIRLEAD_MAX_MEMBERS", Integer.toString(job.spec().members()));
    }
    if (role.gpu().kind() == GpuRequest.Kind.NONE) {
      env.put("NVIDIA_VISIBLE_DEVICES", "void");
    }
    if (job.spec().launcher() == Launcher.TORCHRUN) {
      torchrun(env, job, attempt, member, namespace, clusterDomain);
    }
    return Collections.unmodifiableSortedMap(env);
  }

  /**
   * Host name of a member inside its attempt, {@code role-index}; stays when the member is
   * replaced.
   */
  public static String hostname(Member member) {
    return member.key();
  }

  /**
   * Full DNS name of a member of a gang. torchrun takes itself for the host of the rendezvous only
   * under the full name.
   */
  public static String address(
      Attempt attempt, Member member, String namespace, String clusterDomain) {
    return String.join(
        ".", hostname(member), ObjectNames.attempt(attempt.id()), namespace, "svc", clusterDomain);
  }

  private static void torchrun(
      SortedMap<String, String> env,
      Job job,
      Attempt attempt,
      Member member,
      String namespace,
      String clusterDomain) {
    List<Member> ranked = ranked(job, attempt);
    Member first = ranked.getFirst();
    env.put("PET_NPROC_PER_NODE", Integer.toString(processes(role(job, member))));
    if (job.spec().elastic() || job.spec().gangRepair() != null) {
      elastic(env, job, attempt, address(attempt, first, namespace, clusterDomain));
      return;
    }
    String nodes = Integer.toString(ranked.size());
    String rank = Integer.toString(rank(ranked, member));
    String world = Integer.toString(ranked.stream().mapToInt(m -> processes(role(job, m))).sum());
    // A member alone has no service, so its full name would not resolve.
    String master =
        ranked.size() == 1 ? "localhost" : address(attempt, first, namespace, clusterDomain);
    String port = Integer.toString(MASTER_PORT);
    env.put("NNODES", nodes);
    env.put("NODE_RANK", rank);
    env.put("WORLD_SIZE", world);
    env.put("MASTER_ADDR", master);
    env.put("MASTER_PORT", port);
    env.put("PET_NNODES", nodes);
    env.put("PET_NODE_RANK", rank);
    env.put("PET_MASTER_ADDR", master);
    env.put("PET_MASTER_PORT", port);
  }

  /**
   * Ranks, and the size of the world of an elastic gang, are agreed on by the members that are
   * there: torchrun's elastic rendezvous, whose host never leaves. A member that comes or goes
   * makes the others meet again.
   */
  private static void elastic(
      SortedMap<String, String> env, Job job, Attempt attempt, String master) {
    String port = Integer.toString(MASTER_PORT);
    env.put("PET_NNODES", job.spec().fewestMembers() + ":" + job.spec().members());
    env.put("PET_RDZV_BACKEND", "c10d");
    env.put("PET_RDZV_ENDPOINT", master + ":" + port);
    env.put("PET_RDZV_ID", attempt.id().bare());
    // not refused at submit: jobs of fixed size may have a value of their own
    env.putIfAbsent(NO_SHARED_STORE, "1");
    GangRepairSpec repair = job.spec().gangRepair();
    if (repair != null) {
      env.put("PET_RDZV_CONF", "join_timeout=" + JOIN_SECONDS);
    }
    int restarts = repair == null ? ELASTIC_RESTARTS : repair.max() * RESTARTS_A_REPAIR;
    env.put("PET_MAX_RESTARTS", Integer.toString(restarts));
  }

  /** Members in order of rank: roles as the job lists them, then by index. */
  private static List<Member> ranked(Job job, Attempt attempt) {
    List<String> roles = job.spec().roles().stream().map(RoleSpec::name).toList();
    return attempt.members().stream()
        .sorted(
            Comparator.comparingInt((Member m) -> roles.indexOf(m.role()))
                .thenComparingInt(Member::index))
        .toList();
  }

  private static int rank(List<Member> ranked, Member member) {
    return ranked.stream().map(Member::key).toList().indexOf(member.key());
  }

  /** One process per device; one where there is none or only a part of one. */
  private static int processes(RoleSpec role) {
    return switch (role.gpu().kind()) {
      case WHOLE, MIG -> role.gpu().count();
      case NONE, FRACTION, MEMORY -> 1;
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
