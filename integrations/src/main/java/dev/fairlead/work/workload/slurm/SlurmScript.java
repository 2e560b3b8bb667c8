package dev.fairlead.work.workload.slurm;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.MemberEnvironment;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The submission of an attempt: one Slurm job, with a batch script that runs each member as a job
 * step on its planned node. The first member that fails ends the others, and the job has its exit
 * code.
 */
final class SlurmScript {
  static final int MOST_MEMBERS = 256;

  private static final long MILLI = 1000;
  private static final long MINUTE = 60;

  /** Directory that every node has. Commands that need another directory change to it. */
  private static final String DIRECTORY = "/tmp";

  private static final String PATH = "/usr/local/bin:/usr/bin:/bin";
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final LaunchOrder order;
  private final String partition;
  private final Collection<String> nodes;

  /**
   * @param partition with all planned nodes
   * @param nodes names of all nodes of the partition
   */
  SlurmScript(LaunchOrder order, String partition, Collection<String> nodes) {
    this.order = order;
    this.partition = partition;
    this.nodes = nodes;
  }

  /** Names of the planned nodes. */
  static SortedSet<String> planned(Attempt attempt) {
    return attempt.members().stream()
        .map(Member::nodeName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** File with the output of an attempt on the node of its first member. */
  static String output(Attempt attempt) {
    return DIRECTORY + "/" + ObjectNames.attempt(attempt.id()) + ".out";
  }

  /** Body of the request. */
  SortedMap<String, Object> body() {
    Attempt attempt = order.attempt();
    SortedSet<String> planned = planned(attempt);
    SortedMap<String, Object> job = new TreeMap<>();
    job.put("name", ObjectNames.attempt(attempt.id()));
    job.put("comment", SlurmJob.comment(order.installation(), attempt.members()));
    job.put("partition", partition);
    job.put("current_working_directory", DIRECTORY);
    job.put("environment", Map.of("PATH", PATH));
    job.put("standard_output", output(attempt));
    job.put("standard_error", output(attempt));
    job.put("nodes", List.of(planned.size(), planned.size()));
    job.put("tasks", planned.size());
    job.put("tasks_per_node", 1);
    job.put("cpus_per_task", most(SlurmScript::cores));
    job.put("memory_per_node", Math.max(1, most(RoleSpec::memoryMiB)));
    long gpus = most(role -> role.gpu().count());
    if (gpus > 0) {
      job.put("gpus_per_node", Long.toString(gpus));
    }
    /* At most one job with this name and user runs at a time, also after a repeated submit. */
    job.put("dependency", "singleton");
    job.put("no_requeue", true);
    String others =
        nodes.stream().filter(node -> !planned.contains(node)).collect(Collectors.joining(","));
    if (!others.isEmpty()) {
      job.put("exclude_nodes", others);
    }
    JobSpec spec = order.job().spec();
    if (spec.maxRuntime() != null) {
      job.put("time_limit", spec.maxRuntime().toSeconds() / MINUTE + 2);
    }
    SortedMap<String, Object> body = new TreeMap<>();
    body.put("job", job);
    body.put("script", script());
    return body;
  }

  /** The largest sum of the members on one node. */
  private long most(ToLongFunction<RoleSpec> amount) {
    return order.attempt().members().stream()
        .collect(
            Collectors.groupingBy(
                Member::nodeName, Collectors.summingLong(m -> amount.applyAsLong(role(m)))))
        .values()
        .stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }

  private RoleSpec role(Member member) {
    return order.job().spec().roles().stream()
        .filter(role -> role.name().equals(member.role()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no role " + member.role()));
  }

  private static long cores(RoleSpec role) {
    return Math.max(1, (role.cpuMilli() + MILLI - 1) / MILLI);
  }

  /**
   * Each member writes its exit code to a pipe. {@code wait -n} of bash loses the code of a process
   * that ended before it is called. When the script ends, Slurm ends the steps that still run.
   */
  private String script() {
    List<Member> members = order.attempt().members();
    return """
    #!/bin/bash
    exec 3>&1
    ended=0
    while read -r code
    do
      [ "$code" = 0 ] || exit "$code"
      ended=$((ended + 1))
    done < <(
    %swait
    )
    [ "$ended" = %d ]
    """
        .formatted(members.stream().map(this::step).collect(Collectors.joining()), members.size());
  }

  /**
   * The command is one word for {@code srun}, which reads a command that begins with a hyphen as
   * its options, and the word {@code :} as the end of the step. A variable of the job that names
   * another Slurm job has no effect.
   */
  private String step(Member member) {
    RoleSpec role = role(member);
    Stream<String> variables =
        variables(member, role).entrySet().stream()
            .map(one -> one.getKey() + "=" + CommandSpec.quoted(one.getValue()));
    Stream<String> srun =
        Stream.of(
            "srun",
            "--jobid=\"$SLURM_JOB_ID\"",
            "--job-name=" + member.key(),
            "--nodelist=" + CommandSpec.quoted(member.nodeName()),
            "--nodes=1",
            "--ntasks=1",
            "--exact",
            "--cpus-per-task=" + cores(role),
            "--mem=" + Math.max(1, role.memoryMiB()),
            role.gpu().count() > 0 ? "--gres=gpu:" + role.gpu().count() : "--gres=none");
    CommandSpec command =
        MemberEnvironment.command(
            order.job(),
            order.attempt(),
            member,
            order.project().namespace(),
            order.capabilities().clusterDomain());
    String words =
        Stream.concat(command.command().stream(), command.args().stream())
            .map(word -> CommandSpec.quoted(named(order.resolved(word))))
            .collect(Collectors.joining(" ", "exec -- ", ""));
    return Stream.of(variables, srun, Stream.of("/bin/bash", "-c", CommandSpec.quoted(words)))
        .flatMap(part -> part)
        .collect(Collectors.joining(" ", "{ ", " >&3; echo \"$?\"; } &\n"));
  }

  private SortedMap<String, String> variables(Member member, RoleSpec role) {
    SortedMap<String, String> all = new TreeMap<>();
    MemberEnvironment.of(
            order.job(),
            order.attempt(),
            member,
            order.project().namespace(),
            order.capabilities().clusterDomain())
        .forEach((name, value) -> all.put(name, named(order.resolved(value))));
    all.remove("FAIRLEAD_DOMAIN");
    all.remove("FAIRLEAD_HOSTS_FILE");
    SortedMap<String, Secret> secrets = order.secretData();
    role.secretEnv()
        .forEach((name, from) -> {
          Secret value = secrets.get(LaunchOrder.dataKey(from.secret(), from.key()));
          all.put(name, value == null ? "" : value.reveal());
        });
    all.keySet().removeIf(name -> !VARIABLE.matcher(name).matches());
    return all;
  }

  /**
   * Names members by their nodes: Slurm has no names of members. The longest names come first,
   * because the name of a member can end with the name of another one.
   */
  private String named(String text) {
    String named = text;
    List<Member> members =
        order.attempt().members().stream()
            .sorted(Comparator.comparingInt((Member one) -> one.key().length()).reversed())
            .toList();
    for (Member member : members) {
      String address =
          MemberEnvironment.address(
              order.attempt(),
              member,
              order.project().namespace(),
              order.capabilities().clusterDomain());
      named = named.replace(address, member.nodeName());
    }
    return named;
  }
}
