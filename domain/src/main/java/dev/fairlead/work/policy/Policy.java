package dev.fairlead.work.policy;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rules for the jobs of a tenant or of a project.
 *
 * @param name DNS label, unique within the tenant or project
 * @param project name of the project, or null for all projects of the tenant
 * @param description reason for the policy, may be empty
 * @param owner person or team to contact about a refused job
 * @param enforced whether a submit is refused. Otherwise the policy has no effect
 * @param requiredLabels keys of labels that a job must have
 * @param images prefixes of images, of which each image of a job has one, empty for any image
 * @param digest whether each image has a digest
 * @param rules expressions that are true for an allowed job
 */
@RecordBuilder
public record Policy(
    String name,
    @Nullable String project,
    String description,
    String owner,
    boolean enforced,
    List<String> requiredLabels,
    List<String> images,
    boolean digest,
    List<Rule> rules) {
  public static final ConfigType<Policy> DOCUMENTS =
      new ConfigType<>(ConfigKind.POLICY, Policy.class);

  /** Maximum number of policies of a tenant, its projects included. */
  public static final int MOST = 20;

  /** Maximum number of rules, of required labels, and of images. */
  public static final int MOST_ITEMS = 16;

  /** Maximum characters of an expression. */
  public static final int LONGEST_EXPRESSION = 2_048;

  /** Newest jobs that a trial judges. */
  public static final int MOST_TRIED = 1_000;

  /** The names of the values that expressions read, including values that some jobs lack. */
  public static final SortedSet<String> FACTS =
      Collections.unmodifiableSortedSet(
          new TreeSet<>(
              List.of(
                  "project",
                  "user",
                  "name",
                  "queue",
                  "priorityClass",
                  "launcher",
                  "gpus",
                  "members",
                  "elements",
                  "preemptible",
                  "clusters",
                  "pools",
                  "labels",
                  "secrets",
                  "roles",
                  "maxRuntimeSeconds")));

  private static final Pattern DIGEST = Pattern.compile(".*@sha256:[a-f0-9]{64}");

  /**
   * An expression in the Common Expression Language.
   *
   * @param expression true for an allowed job, which it reads as {@code job}
   * @param message for the user of a refused job
   */
  public record Rule(String expression, String message) {}

  public Policy {
    requiredLabels = List.copyOf(requiredLabels);
    images = List.copyOf(images);
    rules = List.copyOf(rules);
  }

  /** Name of the document: names of policies are unique within their tenant or project only. */
  public static String document(TenantId tenant, @Nullable ProjectId project, String name) {
    return (project == null ? tenant.text() : project.text()) + "/" + name;
  }

  /** Returns whether the policy applies to jobs of the project. */
  public boolean covers(String projectName) {
    return project == null || project.equals(projectName);
  }

  /**
   * The rules that a job violates, as messages for its user.
   *
   * @param job the values that expressions read
   */
  public List<String> violations(
      JobSpec spec, SortedMap<String, Object> job, PolicyExpressions expressions) {
    List<String> violations = new ArrayList<>();
    for (String label : requiredLabels) {
      if (spec.labels().getOrDefault(label, "").isEmpty()) {
        violations.add("The job needs the label %s.".formatted(label));
      }
    }
    for (String image :
        spec.roles().stream().flatMap(role -> role.images().stream()).distinct().toList()) {
      if (!images.isEmpty() && images.stream().noneMatch(image::startsWith)) {
        violations.add(
            "Image %s is not allowed. An image begins with %s."
                .formatted(image, String.join(" or ", images)));
      }
      if (digest && !DIGEST.matcher(image).matches()) {
        violations.add("Image %s needs a digest, @sha256: and 64 digits.".formatted(image));
      }
    }
    for (Rule rule : rules) {
      try {
        if (!expressions.allows(rule.expression(), job)) {
          violations.add(rule.message());
        }
      } catch (IllegalArgumentException failed) {
        violations.add(
            "%s The expression failed: %s"
                .formatted(rule.message(), sentence(String.valueOf(failed.getMessage()))));
      }
    }
    return violations;
  }

  /** The values of a job that expressions read, by a name of {@link #FACTS}. */
  public static SortedMap<String, Object> facts(String project, String user, JobSpec spec) {
    SortedMap<String, Object> job = new TreeMap<>();
    job.put("project", project);
    job.put("user", user);
    job.put("name", spec.name());
    job.put("queue", spec.queue());
    job.put("priorityClass", spec.priorityClass().wire());
    job.put("launcher", spec.launcher());
    job.put("gpus", gpus(spec.mostGpuMilli()));
    job.put("members", (long) spec.members());
    job.put("elements", spec.array() == null ? 1L : (long) spec.array().count());
    job.put("preemptible", spec.preemption().allowed());
    job.put("clusters", spec.placement().clusters());
    job.put("pools", spec.placement().pools());
    job.put("labels", spec.labels());
    job.put("secrets", List.copyOf(spec.secrets().keySet()));
    job.put("roles", spec.roles().stream().map(Policy::facts).toList());
    if (spec.maxRuntime() != null) {
      job.put("maxRuntimeSeconds", spec.maxRuntime().toSeconds());
    }
    return job;
  }

  private static SortedMap<String, Object> facts(RoleSpec role) {
    SortedMap<String, Object> facts = new TreeMap<>();
    facts.put("name", role.name());
    facts.put("image", role.image());
    facts.put("images", role.images());
    facts.put("count", (long) role.count());
    facts.put("gpus", gpus(role.gpu().mostMilli()));
    facts.put("gpuModels", role.gpu().models());
    facts.put("cpuMilli", role.memberCpuMilli());
    facts.put("memoryMiB", role.memberMemoryMiB());
    facts.put("env", role.env());
    return facts;
  }

  private static String sentence(String reason) {
    return reason.endsWith(".") ? reason : reason + ".";
  }

  private static double gpus(long milli) {
    return milli / 1_000.0;
  }
}
