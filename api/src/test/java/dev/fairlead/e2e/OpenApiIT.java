package dev.fairlead.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springdoc.webmvc.api.OpenApiWebMvcResource;
import org.springframework.mock.web.MockHttpServletRequest;
import tools.jackson.databind.JsonNode;

/** The committed document matches the server's, and that one is complete and correct. */
@Tag("openapi")
class OpenApiIT {
  private static final Set<String> NEVER_ONLY_TRIED =
      Set.of("reportHealthEvents", "replayHealthRule", "tryPolicy");
  private static final Set<String> BINARY = Set.of("putWorkdir");
  private static final Set<String> WITHOUT_SUBJECT =
      Set.of(
          "reportJobCheck",
          "skipModelServiceStep",
          "reportNotice",
          "putTemplate",
          "putPolicy",
          "putCloudIdentity",
          "putWarmPool",
          "putWebhook",
          "confirmDead",
          "confirmFrontLoss",
          "confirmVolumeLoss",
          "orderRepair",
          "createCampaign",
          "orderCampaign",
          "createAdvanceReservation",
          "createDomainQuarantine",
          "updateDomainQuarantine",
          "releaseDomainQuarantine",
          "runHealthTest",
          "createVolumeTransfer");
  private static final Path COMMITTED =
      Path.of(System.getProperty("fairlead.root", "..")).resolve("openapi/openapi.yaml");
  private static final String SIMULATED =
      "{\"name\": \"documented\", \"kind\": \"SIMULATED\", \"fleet\": [{\"nodes\": 1}]}";
  private static final String DOCUMENTED_NODES = "/api/v1/nodes?cluster=documented";
  private static final Http HTTP = RunningFairlead.shared().http();

  private record Operation(String path, String method, JsonNode node) {
    String id() {
      return node.path("operationId").asString("");
    }

    boolean hasBody() {
      return node.has("requestBody");
    }
  }

  private static JsonNode document() {
    return RunningFairlead.documentedApi();
  }

  private static List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document().get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        operations.add(new Operation(path.getKey(), method.getKey(), method.getValue()));
      }
    }
    return operations;
  }

  @Test
  void committedDocumentMatchesTheServer() throws IOException {
    String served = HTTP.get("/v3/api-docs.yaml").body();
    if (Boolean.getBoolean("fairlead.update")) {
      Files.createDirectories(COMMITTED.getParent());
      Files.writeString(COMMITTED, served);
    }

    assertThat(COMMITTED).as("out of date: make openapi").hasContent(served);
    assertThat(served).doesNotContain("localhost", "127.0.0.1", "Generated server");
  }

  /**
   * Fails when springdoc's own resource serves the document, which builds it for each reader and
   * language.
   */
  @Test
  void everyClientAndLanguageGetsTheSameDocument() throws IOException {
    OpenApiWebMvcResource document = RunningFairlead.shared().document();
    MockHttpServletRequest request = new MockHttpServletRequest();
    byte[] json = document.openapiJson(request, "/v3/api-docs", Locale.ENGLISH);
    byte[] yaml = document.openapiYaml(request, "/v3/api-docs", Locale.ENGLISH);
    for (int i = 0; i < 3; i++) {
      String language = "en-x-a" + i;
      Locale locale = Locale.forLanguageTag(language);
      assertThat(document.openapiJson(request, "/v3/api-docs", locale)).isSameAs(json);
      assertThat(document.openapiYaml(request, "/v3/api-docs", locale)).isSameAs(yaml);
      assertThat(HTTP.get("/v3/api-docs", "Accept-Language", language).body())
          .isEqualTo(new String(json, UTF_8));
      assertThat(HTTP.get("/v3/api-docs.yaml", "Accept-Language", language).body())
          .isEqualTo(new String(yaml, UTF_8));
    }
    assertThat(HTTP.get("/v3/api-docs/swagger-config").json().get("url").asString())
        .isEqualTo("/v3/api-docs");
  }

  /**
   * Fails when the document is sent uncompressed to a browser, or compressed to a client that
   * cannot.
   */
  @Test
  void documentIsCompressedForClientsThatAcceptIt() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(HTTP.base() + "/v3/api-docs"))
            .header("Accept-Encoding", "deflate, gzip")
            .build();
    HttpResponse<byte[]> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
    assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
    assertThat(answer.headers().allValues("Vary")).contains("Accept-Encoding");
    byte[] plain = HTTP.get("/v3/api-docs").body().getBytes(UTF_8);
    assertThat(answer.body().length).isLessThan(plain.length / 5);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
      assertThat(in.readAllBytes()).isEqualTo(plain);
    }
  }

  /** Fails when Swagger UI shows the operations of a tag in its own order, or a tag has no text. */
  @Test
  void swaggerUiSortsCollectionsBeforeTheirItems() {
    assertThat(HTTP.get("/swagger-ui/swagger-initializer.js").body())
        .contains("operationsSorter: (a, b) =>")
        .contains("\"filter\" : \"true\"");
    Set<String> described = new TreeSet<>();
    document().get("tags").forEach(tag -> described.add(tag.get("name").asString()));
    assertThat(operations())
        .allSatisfy(
            operation -> assertThat(described).contains(operation.node().at("/tags/0").asString()));
  }

  /** Fails when a schema or a property has no description, or an array has no item type. */
  @Test
  void everySchemaAndPropertyIsDescribed() {
    List<String> silent = new ArrayList<>();
    for (Map.Entry<String, JsonNode> schema : document().at("/components/schemas").properties()) {
      if (schema.getValue().path("description").asString("").isBlank()) {
        silent.add(schema.getKey());
      }
      for (Map.Entry<String, JsonNode> property :
          schema.getValue().path("properties").properties()) {
        String name = schema.getKey() + "." + property.getKey();
        if (property.getValue().path("description").asString("").isBlank()) {
          silent.add(name);
        }
        boolean array = property.getValue().path("type").toString().contains("\"array\"");
        assertThat(!array || property.getValue().has("items")).as(name).isTrue();
      }
    }
    assertThat(silent).as("describe by @param, @Schema or openapi/words.properties").isEmpty();
  }

  @Test
  void everyOperationHasADescriptionAndAnExampleResponse() {
    TreeSet<String> ids = new TreeSet<>();
    for (Operation operation : operations()) {
      assertThat(operation.id()).as(operation.path()).matches("[a-z][A-Za-z]+");
      assertThat(ids.add(operation.id())).as(operation.id()).isTrue();
      assertThat(operation.node().path("summary").asString("")).as(operation.id()).isNotBlank();
      assertThat(operation.node().path("description").asString("")).as(operation.id()).isNotBlank();
      assertThat(operation.node().path("tags")).as(operation.id()).hasSize(1);
      operation
          .node()
          .path("parameters")
          .forEach(p ->
              assertThat(p.path("description").asString("")).as(operation.id() + p).contains(" "));
      operation
          .node()
          .get("responses")
          .properties()
          .forEach(r -> response(operation, r.getKey(), r.getValue()));
    }
    assertThat(ids)
        .contains(
            "submitJob", "submitJobs", "getJobLogs", "updateQuota", "registerCluster", "getMe");
  }

  private static void response(Operation operation, String status, JsonNode response) {
    String what = operation.id() + " " + status;
    if (status.equals("101") || status.startsWith("2")) {
      assertThat(response.path("content").isMissingNode() || shown(response.get("content")))
          .as(what)
          .isTrue();
    } else {
      assertThat(response.get("$ref").asString()).as(what).startsWith("#/components/responses/");
    }
  }

  private static boolean shown(JsonNode content) {
    return content.properties().stream().allMatch(type -> type.getValue().has("example"));
  }

  @Test
  void everyErrorIsAProblemDocument() {
    JsonNode document = document();

    assertThat(document.at("/components/responses").properties())
        .allSatisfy(error -> {
          JsonNode body = error.getValue().at("/content/application~1problem+json");
          assertThat(body.at("/schema/$ref").asString()).isEqualTo("#/components/schemas/Problem");
          assertThat(body.has("example")).as(error.getKey()).isTrue();
        });
    assertThat(document.at("/components/schemas/Problem/required"))
        .extracting(JsonNode::asString)
        .contains("type", "code", "requestId", "errors", "metadata");
  }

  @Test
  void requiredFieldsAreTheOnesThatAreNeverNull() {
    JsonNode job = document().at("/components/schemas/JobResponse");

    assertThat(job.get("required"))
        .extracting(JsonNode::asString)
        .contains("id", "state")
        .doesNotContain("failure");
    assertThat(job.at("/properties/startedAt/type"))
        .extracting(JsonNode::asString)
        .contains("null");
    assertThat(
            document()
                .at("/components/schemas/SubmitJobRequest/additionalProperties")
                .asBoolean(true))
        .isFalse();
  }

  /** Fails when the type of the items of a list, or of a text or list, is missing. */
  @Test
  void everyArrayHasItems() {
    List<String> without = new ArrayList<>();
    withoutItems("", document(), without);
    assertThat(without).isEmpty();
  }

  private static void withoutItems(String at, JsonNode node, List<String> without) {
    JsonNode type = node.path("type");
    boolean array =
        type.isString()
            ? type.stringValue().equals("array")
            : type.isArray() && type.valueStream().anyMatch(t -> t.asString("").equals("array"));
    if (array && !node.has("items")) {
      without.add(at);
    }
    if (node.isArray()) {
      node.forEach(item -> withoutItems(at, item, without));
    } else {
      node.properties()
          .forEach(field -> withoutItems(at + "/" + field.getKey(), field.getValue(), without));
    }
  }

  /** Fails when a property of a configuration resource has no description. */
  @Test
  void everyPropertyOfAConfigurationResourceIsDescribed() {
    JsonNode schemas = document().at("/components/schemas");
    for (String name :
        List.of("LicenceResponse", "PutLicenceRequest", "Limits", "LimitsResponse")) {
      schemas
          .get(name)
          .get("properties")
          .properties()
          .forEach(property ->
              assertThat(property.getValue().path("description").asString(""))
                  .as(name + "." + property.getKey())
                  .isNotBlank());
    }
  }

  /** Fails when an example needs something that a fresh installation does not have. */
  @Test
  void everyRequestExampleIsAccepted() {
    member("tenants/default", "tenant-viewer");
    member("projects/default", "project-viewer");
    String secret = "/api/v1/projects/default/secrets/documented";
    HTTP.send("PUT", secret, "{\"data\":{\"a\":\"b\"}}", "Content-Type", Http.JSON);
    supply();
    repairer();
    for (String image : List.of("x", "y")) { // the second version opens a rollout
      HTTP.send(
          "PUT",
          "/api/v1/projects/default/services/documented",
          "{\"route\": \"documented.example\", \"job\": {\"image\": \"%s\"}}".formatted(image),
          "Content-Type",
          Http.JSON);
    }
    HTTP.json("/api/v1/projects/default/services/documented/pause", "{\"version\": 2}");
    HTTP.send(
        "PUT",
        "/api/v1/projects/default/schedules/documented",
        "{\"cron\": \"0 2 1 1 *\", \"job\": {\"image\": \"x\"}}",
        "Content-Type",
        Http.JSON);
    HTTP.json("/api/v1/budgets", "{\"name\":\"documented\",\"gpuHours\":1,\"mode\":\"SOFT\"}");
    for (Operation operation : operations()) {
      if (operation.hasBody() && !BINARY.contains(operation.id())) {
        accepted(operation);
      }
    }
  }

  /** Of a pool without nodes. */
  private static void supply() {
    HTTP.json("/api/v1/clusters", SIMULATED.replace("documented", "us-2"));
    HTTP.yaml(
        "/api/v1/pools",
        "{name: documented, selector: {clusters: [us-2], models: [H100], matchLabels: {zone: b}}}");
    HTTP.send(
        "PUT",
        "/api/v1/pools/documented/supply",
        """
        {"cluster": "us-2", "maxNodes": 0, "webhook": {"url": "https://93.184.216.34/"}, "node":
         {"model": "H100", "gpus": 8, "capacity": "SPOT", "cpu": 64, "memory": "512Gi"}}
        """,
        "Content-Type",
        Http.JSON);
  }

  /**
   * Fails when parameters of an operation share a schema: `queue` of jobs had the values of
   * `state`, and both the pattern of `label`, so that no `state` was valid.
   */
  @Test
  void listParametersAcceptOnlyTheDocumentedValues() {
    List<String> looked = new ArrayList<>();
    for (Operation operation : operations()) {
      if (operation.method().equals("get") && !operation.path().contains("{")) {
        for (JsonNode parameter : operation.node().path("parameters")) {
          JsonNode schema = parameter.get("schema");
          JsonNode one = schema.has("items") ? schema.get("items") : schema;
          if (one.has("enum") && !operation.id().startsWith("stream")) {
            looked.add(operation.id() + " " + parameter.get("name").asString());
            takesExactly(operation.path() + "?" + parameter.get("name").asString() + "=", one);
          }
        }
      }
    }
    assertThat(looked)
        .contains("listJobs state", "listEvents type", "reportWaits by", "listConfigHistory kind")
        .doesNotContain("listJobs queue", "listJobs label");
  }

  private static void takesExactly(String asked, JsonNode schema) {
    assertThat(schema.has("pattern")).as(asked).isFalse();
    for (JsonNode word : schema.get("enum")) {
      Http.Answer answer = HTTP.get(asked + word.asString());
      assertThat(answer.status()).as(asked + word + answer.body()).isEqualTo(200);
    }
    assertThat(HTTP.get(asked + "none-of-them").status()).as(asked).isEqualTo(400);
  }

  private static void repairer() {
    HTTP.json("/api/v1/clusters", SIMULATED);
    HTTP.send(
        "PUT",
        "/api/v1/clusters/documented/repairer",
        "{\"steps\": [], \"webhook\": {\"url\": \"https://93.184.216.34/\"}}",
        "Content-Type",
        Http.JSON);
  }

  private static void member(String place, String role) {
    String path = "/api/v1/" + place + "/members/ana";
    HTTP.send("PUT", path, "{\"role\": \"" + role + "\"}", "Content-Type", Http.JSON);
  }

  private static String waitingJob() {
    String spec = "{\"image\":\"x\",\"placement\":{\"clusters\":[\"nowhere\"]}}";
    Http.Answer submitted = HTTP.json("/api/v1/projects/default/jobs", spec);
    assertThat(submitted.status()).as(submitted.body()).isEqualTo(201);
    return submitted.json().get("id").asString();
  }

  /** Objects that can be released, with the id for a path. */
  private static String quarantinedNode() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !HTTP.get(DOCUMENTED_NODES).json().get("items").isEmpty());
    String id = HTTP.get(DOCUMENTED_NODES).json().at("/items/0/id").asString();
    HTTP.json("/api/v1/nodes/" + id + "/quarantine", "{\"reason\": \"documented\"}");
    return id;
  }

  private static void accepted(Operation operation) {
    String path =
        operation
            .path()
            .replace("{project}", "default")
            .replace("{tenant}", "default")
            .replace("{member}", "ana")
            .replace("{secret}", "documented")
            .replace("{volume}", "documented")
            .replace("{transfer}", "trf_01m7vxn2c4e0mtrw2g5kqy8v3d")
            .replace("{quota}", "default")
            .replace("{queue}", "default")
            .replace("{pool}", "documented")
            .replace("{legalHold}", "documented")
            .replace("{licence}", "documented")
            .replace("{template}", "documented")
            .replace("{cloudIdentity}", "documented")
            .replace("{policy}", "documented")
            .replace("{webhook}", "documented")
            .replace("{frontNamespace}", "documented")
            .replace("{healthTest}", "documented")
            .replace("{schedule}", "documented")
            .replace("{warmPool}", "documented")
            .replace("{check}", "documented")
            .replace("{service}", "documented")
            .replace("{healthRule}", "31")
            .replace("{budget}", "documented")
            .replace("{job}", operation.path().contains("{job}") ? waitingJob() : "")
            .replace("{reservation}", "documented")
            .replace("{campaign}", "cmp_01m7vxn2c4e0mtrw2g5kqy8v3f")
            .replace("{domainQuarantine}", "dqu_01m7vxn2c4e0mtrw2g5kqy8v3f")
            .replace("{repair}", "rep_01m7vxn2c4e0mtrw2g5kqy8v3f")
            .replace("{attemptId}", "att_01m7vxn2c4e0mtrw2g5kqy8v3d");
    if (path.contains("{cluster}") || path.contains("{node}")) {
      HTTP.json("/api/v1/clusters", SIMULATED);
      String seen = "/api/v1/clusters/documented";
      // Its version does not change after that, because its supervisor has seen it.
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> HTTP.get(seen).json().path("state").asString("").equals("ACTIVE"));
      path = path.replace("{cluster}", "documented").replace("{node}", quarantinedNode());
    }
    String tag = HTTP.get(path.replace("/grants", "")).header("ETag");
    for (Map.Entry<String, JsonNode> type :
        operation.node().at("/requestBody/content").properties()) {
      JsonNode example = type.getValue().get("example");
      String body = example.isString() ? example.asString() : example.toString();
      Http.Answer answer =
          HTTP.send(
              operation.method().toUpperCase(Locale.ROOT),
              path + (NEVER_ONLY_TRIED.contains(operation.id()) ? "" : "?validateOnly=true"),
              body,
              "Content-Type",
              type.getKey(),
              "If-Match",
              tag.isEmpty() ? "*" : tag);
      assertThat(answer.status())
          .as(operation.id() + " " + type.getKey() + " " + answer.body())
          // No object is lost or under repair, and cluster eu-1 does not exist. The body is read
          // before these checks.
          .isIn(
              WITHOUT_SUBJECT.contains(operation.id())
                  ? List.of(404, 409, 422)
                  : List.of(200, 201));
    }
  }
}
