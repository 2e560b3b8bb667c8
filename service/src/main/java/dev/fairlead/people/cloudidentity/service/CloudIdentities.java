package dev.fairlead.people.cloudidentity.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.TenantDocuments;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads, sets and deletes the cloud identities of a tenant. */
@Service
public class CloudIdentities implements ConfigDocumentRevert<CloudIdentity> {
  private static final TenantDocuments.Kind<CloudIdentity> KIND =
      new TenantDocuments.Kind<>(
          CloudIdentity.DOCUMENTS,
          CloudIdentity::name,
          "Cloud identity",
          "cloud identities",
          CloudIdentity.MOST);

  private final TenantDocuments<CloudIdentity> identities;
  private final TenantStore tenants;

  public CloudIdentities(
      Transactions transactions, ConfigStore documents, TenantStore tenants, AuditLog audit) {
    this.identities = new TenantDocuments<>(KIND, transactions, documents, audit);
    this.tenants = tenants;
  }

  /**
   * By name. If a project is given, lists only identities that its jobs may name. A caller that has
   * only project roles sees the identities of its projects, without the names of other projects.
   *
   * @param project name, or null for all
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<CloudIdentityView> all(Actor actor, @Nullable String project) {
    Permissions.require(actor, "listCloudIdentities");
    Optional<Project> of = Optional.ofNullable(project).map(name -> tenants.project(actor, name));
    List<ProjectId> own = actor.projects();
    Optional<List<Project>> visible =
        Optional.ofNullable(own).map(ids -> tenants.projects(actor.tenant(), ids));
    return identities.all(actor).stream()
        .filter(each -> of.isEmpty() || each.value().allows(of.get()))
        .filter(each -> visible.isEmpty() || visible.get().stream().anyMatch(each.value()::allows))
        .map(each -> visible.isEmpty() ? each : each.with(each.value().within(visible.get())))
        .sorted(Comparator.comparing(each -> each.value().name()))
        .map(CloudIdentityView::of)
        .toList();
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public CloudIdentityView one(Actor actor, String name) {
    Permissions.require(actor, "getCloudIdentity");
    return CloudIdentityView.of(owned(actor, name));
  }

  /**
   * Adds a cloud identity, or changes it. Attempts that start later use it.
   *
   * @param expected version that the caller has read, or null for any version and a new one
   * @throws Refusal FORBIDDEN, INVALID_FIELD for an unknown project, VERSION_MISMATCH,
   *     LIMIT_EXCEEDED above {@link CloudIdentity#MOST} of a tenant
   */
  public CloudIdentityView put(
      Actor actor, CloudIdentity wanted, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "putCloudIdentity");
    return CloudIdentityView.of(
        identities.change(wanted.name(), validateOnly, () -> stored(actor, wanted, expected)));
  }

  private ConfigDocument<CloudIdentity> stored(
      Actor actor, CloudIdentity wanted, @Nullable Long expected) {
    known(actor, wanted);
    String key = CloudIdentity.document(actor.tenant(), wanted.name());
    return identities.put(
        actor,
        "putCloudIdentity",
        new ConfigDocument<>(CloudIdentity.DOCUMENTS, key, actor.tenant(), null, wanted, 0),
        expected,
        projects(wanted));
  }

  private void known(Actor actor, CloudIdentity wanted) {
    for (int i = 0; i < wanted.projects().size(); i++) {
      String name = wanted.projects().get(i);
      if (tenants.projectNamed(actor.tenant(), name).isEmpty()) {
        throw Refusal.field(
            "/projects/" + i, "There is no project \"" + name + "\". Create it first.");
      }
    }
  }

  /**
   * Deletes a cloud identity. Jobs that name it fail at their next start. Running attempts keep the
   * service account of their pods.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(Actor actor, String name, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteCloudIdentity");
    ConfigDocument<CloudIdentity> _ =
        identities.change(
            name,
            validateOnly,
            () -> {
              ConfigDocument<CloudIdentity> old = owned(actor, name);
              return identities.remove(
                  actor, "deleteCloudIdentity", old, expected, projects(old.value()));
            });
  }

  private static SortedMap<String, Object> projects(CloudIdentity identity) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("projects", identity.projects());
    return detail;
  }

  private ConfigDocument<CloudIdentity> owned(Actor actor, String name) {
    return identities
        .find(actor, CloudIdentity.document(actor.tenant(), name))
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "The tenant has no cloud identity \"%s\". GET /api/v1/cloud-identities lists them."
                    .formatted(name)));
  }

  @Override
  public ConfigType<CloudIdentity> type() {
    return CloudIdentity.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<CloudIdentity>> stored(Actor actor, String name) {
    Permissions.require(actor, "getCloudIdentity");
    return identities.find(actor, name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<CloudIdentity> document) {
    CloudIdentityView _ = put(actor, document.value(), document.version(), false);
  }
}
