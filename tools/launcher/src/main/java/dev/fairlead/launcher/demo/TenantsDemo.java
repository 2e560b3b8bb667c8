package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.DemoFleet;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * {@code make demo AUTH=1}: an issuer, two tenants that sign in, and the check of their isolation.
 */
final class TenantsDemo {
  private static final String PLATFORM = "platform";
  private static final String ONE = "acme";
  private static final String OTHER = "globex";

  /** The service reads new tenants of its issuer's groups every ten seconds. */
  private static final Duration LET_IN_WAIT = Duration.ofSeconds(30);

  private static final Duration RUNNING_WAIT = Duration.ofMinutes(1);

  private final PrintStream out;

  TenantsDemo(PrintStream out) {
    this.out = out;
  }

  /**
   * @param once ends with the verdict of the check, else serves until Ctrl-C
   * @return 0 when the isolation held, else 1
   */
  int run(boolean once) throws InterruptedException {
    try (DemoIssuer issuer = DemoIssuer.start(PLATFORM, ONE, OTHER)) {
      out.println("Issuer at " + issuer.url() + ", service on an empty database");
      EmbeddedDatabase database = EmbeddedDatabase.start();
      try (LocalFairlead fairlead = LocalFairlead.start(database, settings(issuer))) {
        URI service = fairlead.service().address();
        List<String> breaches = probe(issuer, service);
        if (once) {
          return breaches.isEmpty() ? 0 : 1;
        }
        ways(issuer, service);
        fairlead.service().awaitEnd();
        return 0;
      }
    }
  }

  private static ServiceSettings settings(DemoIssuer issuer) {
    SortedMap<String, String> environment = new TreeMap<>();
    environment.put("FAIRLEAD_OIDC_ISSUER", issuer.url());
    environment.put("FAIRLEAD_OIDC_AUDIENCE", DemoIssuer.AUDIENCE);
    role(environment, 0, PLATFORM, "admin");
    role(environment, 1, ONE, "tenant-owner");
    role(environment, 2, OTHER, "tenant-owner");
    environment.put("FAIRLEAD_OIDC_ROLES_1_TENANT", ONE);
    environment.put("FAIRLEAD_OIDC_ROLES_2_TENANT", OTHER);
    return new ServiceSettings(
        WorkTree.serviceClasspath(),
        ServiceSettings.QUICK,
        environment,
        LoopbackPorts.choose(System.getenv()),
        WorkTree.scratch("demo").resolve("service.log"));
  }

  private static void role(
      SortedMap<String, String> environment, int at, String group, String role) {
    environment.put("FAIRLEAD_OIDC_ROLES_" + at + "_VALUE", group);
    environment.put("FAIRLEAD_OIDC_ROLES_" + at + "_ROLE", role);
  }

  private List<String> probe(DemoIssuer issuer, URI service) throws InterruptedException {
    try (FairleadApi platform = signedIn(issuer, service, PLATFORM);
        FairleadApi one = signedIn(issuer, service, ONE);
        FairleadApi other = signedIn(issuer, service, OTHER)) {
      Stream.of(ONE, OTHER)
          .map(tenant -> JsonNodeFactory.instance.objectNode().put("name", tenant))
          .forEach(tenant -> platform.post("/tenants", tenant));
      DemoFleet fleet = DemoFleet.read();
      fleet.register(platform);
      out.println("Simulated clusters, which both tenants use: " + fleet.text());
      TenantProbes probes = new TenantProbes(out);
      List<String> breaches = probes.between(side(ONE, one), side(OTHER, other));
      out.println();
      breaches.forEach(breach -> out.println("BREACH " + breach));
      out.println(
          breaches.isEmpty()
              ? "Isolation held: none of "
                  + probes.answers()
                  + " answers contained data of the other tenant."
              : "The isolation did not hold: "
                  + breaches.size()
                  + " of "
                  + probes.answers()
                  + " answers.");
      return breaches;
    }
  }

  private static boolean sees(FairleadApi api, String path) {
    try {
      api.get(path);
      return true;
    } catch (ApiRefusal refusal) {
      return false;
    }
  }

  /** Creates a secret and a job in the tenant, and waits until the job runs. */
  private TenantProbes.Side side(String tenant, FairleadApi owner) throws InterruptedException {
    Patience.await(
        "the owner of " + tenant + " is admitted",
        LET_IN_WAIT,
        () -> sees(owner, "/tenants/" + tenant));
    owner.putYaml("/projects/default/secrets/" + tenant + "-key", "data: {token: secret-of-it}");
    String job =
        owner
            .postYaml(
                "/projects/default/jobs",
                """
                name: %s-train
                image: registry.example.com/%s/train:1.0
                gpu: H100:1
                secretEnv: {TOKEN: {secret: %s-key, key: token}}
                annotations: {sim.fairlead.dev/run-for: 1h}
                """
                    .formatted(tenant, tenant, tenant))
            .path("id")
            .asString("");
    Patience.await(
        "the job of " + tenant + " runs",
        RUNNING_WAIT,
        () -> owner.get("/jobs/" + job).path("state").asString("").equals("RUNNING"));
    out.println(tenant + ": " + tenant + "-train RUNNING, secret " + tenant + "-key");
    return new TenantProbes.Side(tenant, owner, job);
  }

  private static FairleadApi signedIn(DemoIssuer issuer, URI service, String client)
      throws InterruptedException {
    String credentials = client + ":" + Objects.requireNonNull(issuer.secrets().get(client));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(issuer.url() + "/token"))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header(
                "Authorization",
                "Basic "
                    + Base64.getEncoder()
                        .encodeToString(credentials.getBytes(StandardCharsets.UTF_8)))
            .POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials"))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      String token =
          JsonMapper.builder().build().readTree(answer.body()).path("access_token").asString("");
      if (answer.statusCode() != 200 || token.isEmpty()) {
        throw new StartFailed("sign-in of " + client + " was refused: " + answer.statusCode());
      }
      return new FairleadApi(service, token);
    } catch (IOException e) {
      throw new StartFailed(issuer.url() + " cannot be reached: " + e.getMessage(), e);
    }
  }

  private void ways(DemoIssuer issuer, URI service) {
    out.println("\nAPI  " + service + "/api/v1 with an access token of one hour:");
    issuer
        .secrets()
        .forEach((client, secret) ->
            out.printf(
                "  curl -s -u %s:%s -d grant_type=client_credentials %s/token%n",
                client, secret, issuer.url()));
    out.println("then FAIRLEAD_URL=" + service + " FAIRLEAD_TOKEN=... fairlead ps");
    out.println("or enter the token at the console, " + service + "/console/");
    out.println("\nServing until Ctrl-C.");
  }
}
