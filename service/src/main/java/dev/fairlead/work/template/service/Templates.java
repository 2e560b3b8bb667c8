package dev.fairlead.work.template.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.TenantDocuments;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.ConfigChange;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.audit.StateDocument;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.template.Template;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Stores, shows and removes the templates of a tenant and of its projects. */
@Service
public class Templates implements ConfigDocumentRevert<Template> {
  /** Versions that one statement reads from the history. */
  private static final int PAGE = 20;

  private static final TenantDocuments.Kind<Template> KIND =
      new TenantDocuments.Kind<>(
          Template.DOCUMENTS, Template::name, "Template", "templates", Template.MOST);

  private final Transactions transactions;
  private final TenantDocuments<Template> templates;
  private final TenantStore tenants;
  private final AuditLog audit;

  public Templates(
      Transactions transactions, ConfigStore documents, TenantStore tenants, AuditLog audit) {
    this.transactions = transactions;
    this.templates = new TenantDocuments<>(KIND, transactions, documents, audit);
    this.tenants = tenants;
    this.audit = audit;
  }

  /**
   * One version of a template.
   *
   * @param version from 1
   */
  public record Used(Template template, long version) {}

  /**
   * By name. If a project is given, lists the templates of the project and of the tenant.
   *
   * @param project name, or null for templates of the tenant
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<Used> all(Actor actor, @Nullable String project) {
    Permissions.require(actor, "listTemplates");
    ProjectId of = tenants.projectId(actor, project);
    return templates.visible(actor, of).stream().map(Templates::used).toList();
  }

  /**
   * A template of the project, or of the tenant when the project has none of that name.
   *
   * @param version null for the current one
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public Used one(Actor actor, @Nullable String project, String name, @Nullable Long version) {
    Permissions.require(actor, "getTemplate");
    return used(actor, project, name, version);
  }

  /**
   * Finds the template of a submit. The caller checks the permission to submit.
   *
   * @param version null for the current one
   * @throws Refusal NOT_FOUND for a project, template or version that does not exist, and for a
   *     template of another tenant or project
   */
  public Used used(Actor actor, @Nullable String project, String name, @Nullable Long version) {
    return transactions.read(() -> {
      ProjectId of = tenants.projectId(actor, project);
      ConfigDocument<Template> found =
          exact(actor, of, name)
              .or(() -> exact(actor, null, name))
              .orElseThrow(() -> missing(name, project));
      return version == null
          ? used(found)
          : earlier(actor, found, version)
              .map(value -> new Used(value, version))
              .orElseThrow(() -> noVersion(found, version));
    });
  }

  private static Used used(ConfigDocument<Template> document) {
    return new Used(document.value(), document.version());
  }

  /**
   * Reads an earlier version from the history of the configuration. Each change of the value is one
   * version.
   */
  private Optional<Template> earlier(Actor actor, ConfigDocument<Template> now, long wanted) {
    long version = now.version();
    if (version == wanted) {
      return Optional.of(now.value());
    }
    SortedSet<ConfigKind> kinds = new TreeSet<>(List.of(ConfigKind.TEMPLATE));
    long before = Long.MAX_VALUE;
    while (wanted >= 1 && wanted < version) {
      List<ConfigVersion> page = audit.versions(actor.tenant(), kinds, now.name(), before, PAGE);
      for (ConfigVersion each : page) {
        ConfigChange change = each.change();
        before = each.version();
        if (change.before() == null || change.after() == null) {
          return Optional.empty();
        }
        if (!change.before().equals(change.after()) && --version == wanted) {
          return StateDocument.read(change.before(), Template.class);
        }
      }
      if (page.size() < PAGE) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /**
   * Adds a template, or stores its next version. Jobs submitted from the template do not change.
   *
   * @param wanted checked template
   * @param expected version that the caller has read, or null for any version and a new template
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), VERSION_MISMATCH, LIMIT_EXCEEDED above {@link
   *     Template#MOST} of a tenant
   */
  public Used put(Actor actor, Template wanted, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "putTemplate");
    return used(
        templates.change(wanted.name(), validateOnly, () -> stored(actor, wanted, expected)));
  }

  private ConfigDocument<Template> stored(Actor actor, Template wanted, @Nullable Long expected) {
    ProjectId of = tenants.projectId(actor, wanted.project());
    String key = Template.document(actor.tenant(), of, wanted.name());
    return templates.put(
        actor,
        "putTemplate",
        new ConfigDocument<>(Template.DOCUMENTS, key, actor.tenant(), of, wanted, 0),
        expected,
        new TreeMap<>());
  }

  /**
   * Deletes a template of exactly that owner.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(
      Actor actor,
      @Nullable String project,
      String name,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, "deleteTemplate");
    ConfigDocument<Template> _ =
        templates.change(
            name,
            validateOnly,
            () -> {
              ConfigDocument<Template> old = owned(actor, project, name);
              SortedMap<String, Object> detail = new TreeMap<>();
              detail.put("version", old.version());
              return templates.remove(actor, "deleteTemplate", old, expected, detail);
            });
  }

  /**
   * The version of the template of exactly that owner.
   *
   * @throws Refusal NOT_FOUND
   */
  public long version(Actor actor, @Nullable String project, String name) {
    return transactions.read(() -> owned(actor, project, name).version());
  }

  private ConfigDocument<Template> owned(Actor actor, @Nullable String project, String name) {
    return exact(actor, tenants.projectId(actor, project), name)
        .orElseThrow(() -> missing(name, project));
  }

  private Optional<ConfigDocument<Template>> exact(
      Actor actor, @Nullable ProjectId project, String name) {
    return templates.find(actor, Template.document(actor.tenant(), project, name));
  }

  private static Refusal missing(String name, @Nullable String project) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "Template \"%s\" of %s does not exist. GET /api/v1/templates lists them."
            .formatted(name, project == null ? "the tenant" : "project " + project));
  }

  private static Refusal noVersion(ConfigDocument<Template> now, long version) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "Template \"%s\" has no version %d. The current version is %d, and the history has the last %d changes."
            .formatted(now.value().name(), version, now.version(), ConfigVersion.KEPT));
  }

  @Override
  public ConfigType<Template> type() {
    return Template.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Template>> stored(Actor actor, String name) {
    Permissions.require(actor, "getTemplate");
    return templates.find(actor, name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<Template> document) {
    Used _ = put(actor, document.value(), document.version(), false);
  }
}
