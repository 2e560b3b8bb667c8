package dev.fairlead.work.template;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job spec with parameters, of a tenant or of a project.
 *
 * @param name DNS label, unique within the tenant or project
 * @param project name of the project, or null for all projects of the tenant
 * @param description for users who choose a template, may be empty
 * @param locked JSON pointers of fields that a submit cannot set
 * @param job the spec as JSON. Its texts may contain {@code ${parameters.NAME}}
 */
public record Template(
    String name,
    @Nullable String project,
    String description,
    List<TemplateParameter> parameters,
    List<String> locked,
    String job) {
  public static final ConfigType<Template> DOCUMENTS =
      new ConfigType<>(ConfigKind.TEMPLATE, Template.class);

  /** Maximum number of templates of a tenant, its projects included. */
  public static final int MOST = 500;

  /** Maximum number of parameters. */
  public static final int MOST_PARAMETERS = 64;

  /** Maximum number of locked fields. */
  public static final int MOST_LOCKED = 64;

  /** Maximum bytes of the job. */
  public static final int LARGEST_JOB = 64 * 1024;

  /** Prefix of the labels that a job from a template has. Callers cannot set such labels. */
  public static final String LABELS = "fairlead.dev/template";

  public Template {
    parameters = List.copyOf(parameters);
    locked = List.copyOf(locked);
  }

  /** Name of the document: names of templates are unique within their tenant or project only. */
  public static String document(TenantId tenant, @Nullable ProjectId project, String name) {
    return (project == null ? tenant.text() : project.text()) + "/" + name;
  }
}
