package dev.fairlead.people.secret.service;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.secret.ProjectSecretBuilder;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Writes secrets of projects and reads everything except their values. */
@Service
public class ProjectSecrets {
  private final Transactions transactions;
  private final ProjectSecretStore secrets;
  private final TenantStore tenants;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public ProjectSecrets(
      Transactions transactions,
      ProjectSecretStore secrets,
      TenantStore tenants,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.secrets = secrets;
    this.tenants = tenants;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Secrets by name.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<ProjectSecret> all(Actor actor, String project) {
    Permissions.require(actor, "listSecrets");
    return transactions.read(
        () -> secrets.all(actor.tenant(), tenants.project(actor, project).id()));
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public ProjectSecret one(Actor actor, String project, String name) {
    Permissions.require(actor, "getSecret");
    return transactions.read(() -> found(actor, tenants.project(actor, project), name));
  }

  /**
   * Creates a secret, or replaces all its values. Launched attempts retain their values.
   *
   * @param expected version that the caller has read, null for any or none
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), VERSION_MISMATCH, LIMIT_EXCEEDED beyond {@link
   *     ProjectSecret#MOST}, UNAVAILABLE without a key
   */
  public ProjectSecret put(
      Actor actor,
      String project,
      String name,
      SortedMap<String, Secret> values,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, "putSecret");
    AtomicReference<ProjectSecret> written = new AtomicReference<>();
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = tenants.project(actor, project);
            ProjectSecret old = secrets.find(actor.tenant(), of.id(), name).orElse(null);
            if (expected != null && (old == null || old.version() != expected)) {
              throw changed(name);
            }
            ProjectSecret next = next(actor, of, name, old, sizes(values));
            if (old == null) {
              secrets.insert(next, values);
            } else {
              secrets.update(next, values);
            }
            audit(actor, "putSecret", of, old, next);
            written.set(next);
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
    return Objects.requireNonNull(written.get(), "it was written");
  }

  private ProjectSecret next(
      Actor actor,
      Project project,
      String name,
      @Nullable ProjectSecret old,
      SortedMap<String, Integer> sizes) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    ProjectSecret.Change change = new ProjectSecret.Change(now, actor.name());
    if (old != null) {
      return old.replaced(sizes, change);
    }
    if (secrets.all(actor.tenant(), project.id()).size() >= ProjectSecret.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Project "
              + project.name()
              + " has "
              + ProjectSecret.MOST
              + " secrets, the maximum. Delete secrets that no job names.");
    }
    return ProjectSecretBuilder.builder()
        .id(ids.next())
        .tenant(actor.tenant())
        .project(project.id())
        .name(name)
        .keys(sizes)
        .createdAt(now)
        .changed(change)
        .version(1)
        .build();
  }

  private static SortedMap<String, Integer> sizes(SortedMap<String, Secret> values) {
    SortedMap<String, Integer> sizes = new TreeMap<>();
    values.forEach(
        (key, value) -> sizes.put(key, value.reveal().getBytes(StandardCharsets.UTF_8).length));
    return sizes;
  }

  /**
   * Deletes a secret. Launched attempts retain its values. Later attempts of jobs that name the
   * secret fail.
   *
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(
      Actor actor, String project, String name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteSecret");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = tenants.project(actor, project);
            ProjectSecret old = found(actor, of, name);
            if (expected != null && old.version() != expected) {
              throw changed(name);
            }
            secrets.delete(old);
            audit(actor, "deleteSecret", of, old, null);
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
  }

  private ProjectSecret found(Actor actor, Project project, String name) {
    return secrets
        .find(actor.tenant(), project.id(), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Project " + project.name() + " has no secret \"" + name + "\"."));
  }

  private static Refusal changed(String name) {
    return Refusal.changed("Secret \"" + name + "\"");
  }

  private void audit(
      Actor actor,
      String operation,
      Project project,
      @Nullable ProjectSecret before,
      @Nullable ProjectSecret after) {
    ProjectSecret secret = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("secret", secret.name());
    detail.put("keys", String.join(", ", secret.keys().keySet()));
    detail.put("version", secret.version());
    audit.append(
        new AuditRecord(actor, operation, project.name(), true, detail)
            .changed("secret/" + secret.id(), before, after));
  }
}
