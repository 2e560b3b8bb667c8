package dev.fairlead.work.template.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.pattern.TextPatterns;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.template.Template;
import dev.fairlead.work.template.service.TemplateView;
import dev.fairlead.work.template.service.Templates;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Templates of a tenant, or with the parameter {@code project} of a project. */
@ApiController(ApiPaths.ROOT + "/templates")
@Tag(name = "Templates")
class TemplateController {
  private final Templates templates;
  private final JobBodies jobs;
  private final TextPatterns patterns;

  TemplateController(Templates templates, JobBodies jobs, TextPatterns patterns) {
    this.templates = templates;
    this.jobs = jobs;
    this.patterns = patterns;
  }

  @Operation(
      operationId = "listTemplates",
      summary = "List templates",
      description =
          "By name. Lists the templates of the project and of the tenant, or without project those"
              + " of the tenant.")
  @GetMapping
  Page<TemplateView> all(Actor actor, @RequestParam(required = false) @Nullable String project) {
    return Page.whole(
        templates.all(actor, project).stream().map(TemplateController::view).toList());
  }

  @Operation(
      operationId = "getTemplate",
      summary = "Read a template",
      description =
          "With project, the template of the project, or of the tenant when the project has none of"
              + " that name. Earlier versions are read from the history of the configuration.")
  @GetMapping("/{template}")
  ResponseEntity<TemplateView> one(
      Actor actor,
      @PathVariable String template,
      @RequestParam(required = false) @Nullable String project,
      @Parameter(description = "Version of the template, the current one when absent")
          @RequestParam(required = false)
          @Nullable Long version) {
    return tagged(templates.one(actor, project, template, version));
  }

  @Operation(
      operationId = "putTemplate",
      summary = "Add a template, or store its next version",
      description =
          "The job is checked with the defaults of the parameters. A field that the job lacks can"
              + " come with a submit. Jobs that were submitted from an earlier version do not"
              + " change. With project it is a template of that project, otherwise of the tenant.")
  @PutBody("/{template}")
  ResponseEntity<TemplateView> put(
      Actor actor,
      @PathVariable String template,
      @RequestParam(required = false) @Nullable String project,
      @RequestBody @BodyOf(PutTemplateRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Parameters.requireLabel("template", template, Names.LONGEST_LABEL);
    Template wanted = PutTemplateRequest.read(body, project, template, jobs, patterns);
    return tagged(
        templates.put(
            actor,
            wanted,
            options.ifGiven(() -> templates.version(actor, project, template)),
            options.validateOnly()));
  }

  @Operation(
      operationId = "deleteTemplate",
      summary = "Delete a template",
      description =
          "Jobs that were submitted from it do not change. With project it deletes the template of"
              + " that project, otherwise of the tenant. A new template of the same name begins"
              + " with version 1.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{template}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String template,
      @RequestParam(required = false) @Nullable String project,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    templates.delete(
        actor,
        project,
        template,
        options.ifGiven(() -> templates.version(actor, project, template)),
        options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static TemplateView view(Templates.Used used) {
    return TemplateView.of(used, Body.object(used.template().job()));
  }

  private static ResponseEntity<TemplateView> tagged(Templates.Used used) {
    return ResponseEntity.ok().eTag(Etags.of(used.version())).body(view(used));
  }
}
