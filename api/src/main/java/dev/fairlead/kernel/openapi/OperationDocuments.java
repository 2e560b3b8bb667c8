package dev.fairlead.kernel.openapi;

import dev.fairlead.kernel.errors.Problem;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Role;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.core.converter.ResolvedSchema;
import io.swagger.v3.core.util.AnnotationsUtils;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.http.HttpHeaders;

/**
 * Adds the common parts to each operation: possible errors as problem documents, headers, roles and
 * examples.
 */
final class OperationDocuments implements OpenApiCustomizer {
  private static final String YAML = "application/yaml";
  private static final String PROBLEM = "Problem";
  private static final String REFERENCE = "#/components/responses/";

  /** Reads that a state can forbid. A write always may be forbidden. */
  private static final String FROZEN_READ = "getStatementCorrections";

  /** Operations with an optional If-Match. */
  private static final Set<String> OPTIONALLY_TAGGED =
      Set.of(
          "patchJob",
          "updateProject",
          "deleteProject",
          "updateTenant",
          "archiveTenant",
          "putTenantMember",
          "removeTenantMember",
          "putProjectMember",
          "removeProjectMember",
          "putSecret",
          "deleteSecret",
          "deleteVolume",
          "updateTenantLimits",
          "updateProjectLimits",
          "updateHealthRule",
          "putPoolSupply",
          "putRepairer",
          "deleteRepairer",
          "deletePoolSupply",
          "putWebhook",
          "deleteWebhook",
          "putTemplate",
          "deleteTemplate",
          "putPolicy",
          "deletePolicy",
          "putCloudIdentity",
          "deleteCloudIdentity",
          "putSchedule",
          "deleteSchedule",
          "putWarmPool",
          "deleteWarmPool",
          "putModelService",
          "updateDomainQuarantine");

  /** These operations refuse a longer time range, or more rows, than one response may have. */
  private static final Set<String> SPANS =
      Set.of(
          "reportUsage",
          "rebuildUsage",
          "reportSpill",
          "reportSavings",
          "reportVolumeHours",
          "listStatements",
          "listStatementDevices",
          "getStatement",
          "signStatement",
          "getStatementCorrections",
          "exportStatement");

  /** Errors by status, with the name of their component. */
  private static final Map<String, String> ERRORS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("400", "InvalidRequest"),
              Map.entry("401", "Unauthenticated"),
              Map.entry("403", "Forbidden"),
              Map.entry("404", "NotFound"),
              Map.entry("406", "NotAcceptable"),
              Map.entry("409", "Conflict"),
              Map.entry("408", "RequestTimeout"),
              Map.entry("410", "Gone"),
              Map.entry("412", "VersionMismatch"),
              Map.entry("413", "BodyTooLarge"),
              Map.entry("414", "UriTooLong"),
              Map.entry("415", "UnsupportedMediaType"),
              Map.entry("422", "InvalidBody"),
              Map.entry("428", "PreconditionRequired"),
              Map.entry("429", "TooManyRequests"),
              Map.entry("431", "HeadersTooLarge"),
              Map.entry("500", "Internal"),
              Map.entry("503", "Unavailable")));

  @Override
  public void customise(OpenAPI document) {
    addProblem(document);
    ERRORS.forEach((status, name) -> document.getComponents().addResponses(name, problem(status)));
    document.getPaths().forEach((path, item) -> complete(path, item));
  }

  private static void addProblem(OpenAPI document) {
    ResolvedSchema problem =
        ModelConverters.getInstance(true).resolveAsResolvedSchema(new AnnotatedType(Problem.class));
    problem.referencedSchemas.forEach(document.getComponents()::addSchemas);
  }

  private static ApiResponse problem(String status) {
    MediaType body = new MediaType().schema(new Schema<>().$ref(PROBLEM));
    Examples.response("problem." + status).ifPresent(body::setExample);
    return new ApiResponse()
        .description(ProblemTexts.of(status))
        .content(new Content().addMediaType(Problem.MEDIA_TYPE, body));
  }

  private static void complete(String path, PathItem item) {
    item.readOperationsMap()
        .forEach((method, operation) -> {
          errors(operation, method, path.contains("{") || operation.getParameters() != null);
          parameters(operation);
          examples(operation);
          success(operation, method);
          roles(operation);
        });
  }

  /** The first requirement applies to a service without tokens. The second names roles. */
  private static void roles(Operation operation) {
    List<String> allowed =
        PermissionMatrix.CURRENT.rolesFor(String.valueOf(operation.getOperationId())).stream()
            .map(Role::wire)
            .toList();
    operation.setSecurity(
        List.of(
            new SecurityRequirement(),
            new SecurityRequirement().addList(OpenApiConfiguration.BEARER, allowed)));
  }

  private static void errors(Operation operation, PathItem.HttpMethod method, boolean named) {
    LinkedHashSet<String> statuses =
        new LinkedHashSet<>(List.of("400", "401", "403", "406", "414", "429", "431", "500", "503"));
    if (named) {
      statuses.add("404");
    }
    if (operation.getRequestBody() != null) {
      statuses.addAll(List.of("408", "413", "415", "422"));
    }
    if (method != PathItem.HttpMethod.GET || FROZEN_READ.equals(operation.getOperationId())) {
      statuses.add("409");
    }
    if (SPANS.contains(String.valueOf(operation.getOperationId()))) {
      statuses.add("422");
    }
    if (List.of("streamEvents", "listEvents").contains(operation.getOperationId())) {
      statuses.add("410");
    }
    if (takes(operation, HttpHeaders.IF_MATCH)) {
      statuses.add("412");
      if (!OPTIONALLY_TAGGED.contains(String.valueOf(operation.getOperationId()))) {
        statuses.add("428");
      }
    }
    statuses.forEach(status ->
        operation
            .getResponses()
            .addApiResponse(status, new ApiResponse().$ref(REFERENCE + ERRORS.get(status))));
  }

  private static boolean takes(Operation operation, String parameter) {
    return operation.getParameters() != null
        && operation.getParameters().stream().anyMatch(p -> parameter.equals(p.getName()));
  }

  private static void parameters(Operation operation) {
    List<Parameter> parameters = operation.getParameters();
    if (parameters != null) {
      String id = String.valueOf(operation.getOperationId());
      parameters.forEach(parameter -> parameter(id, parameter));
      parameters.stream()
          .filter(parameter -> HttpHeaders.IF_MATCH.equals(parameter.getName()))
          .forEach(parameter -> parameter.setRequired(!OPTIONALLY_TAGGED.contains(id)));
    }
  }

  private static void parameter(String operation, Parameter parameter) {
    boolean inPath = "path".equals(parameter.getIn());
    if (parameter.getDescription() == null) {
      parameter.setDescription(
          inPath ? PathTexts.of(parameter.getName()) : ParameterTexts.of(parameter.getName()));
    }
    if (inPath) {
      String example = PathTexts.example(parameter.getName());
      boolean number = parameter.getSchema().getTypes().contains("integer");
      parameter.setExample(number && example != null ? Integer.valueOf(example) : example);
    } else { // operations share the schema of a type, but not its description
      parameter.setSchema(AnnotationsUtils.clone(parameter.getSchema(), true));
      ParameterTexts.limit(operation, parameter.getName(), parameter.getSchema());
    }
  }

  private static void examples(Operation operation) {
    String id = operation.getOperationId();
    if (operation.getRequestBody() != null) {
      operation
          .getRequestBody()
          .getContent()
          .replaceAll((type, body) -> requestBody(id, type, body));
    }
    operation
        .getResponses()
        .forEach((status, response) -> {
          if (status.startsWith("2") && response.getContent() != null) {
            response
                .getContent()
                .values()
                .forEach(body -> {
                  Examples.response(id).ifPresent(body::setExample);
                  Examples.textResponse(id).ifPresent(body::setExample);
                });
          }
        });
  }

  /** Gives each media type its own body, because the library shares one. */
  private static MediaType requestBody(String id, String type, MediaType shared) {
    MediaType body = new MediaType().schema(shared.getSchema());
    if (type.equals(YAML)) {
      Examples.yamlRequest(id).ifPresent(body::setExample);
    } else {
      Examples.request(id).ifPresent(body::setExample);
    }
    return body;
  }

  private static void success(Operation operation, PathItem.HttpMethod method) {
    operation
        .getResponses()
        .forEach((status, response) -> {
          if (status.startsWith("2")) {
            response.addHeaderObject(
                "X-Request-Id", header("Id of the request, also in the server's log."));
            if (status.equals("201")) {
              response.addHeaderObject("Location", header("Address of the new object."));
            }
            if (status.equals("202")) {
              response.addHeaderObject("Location", header("Address of the operation to follow."));
            }
            if (String.valueOf(operation.getOperationId()).startsWith("list")
                && method == PathItem.HttpMethod.GET) {
              response.addHeaderObject(
                  "Link",
                  header("Address of the next page, rel=\"next\". Absent on the last page."));
            }
          }
        });
  }

  private static Header header(String description) {
    return new Header()
        .description(description)
        .schema(new Schema<>().types(new LinkedHashSet<>(List.of("string"))));
  }
}
