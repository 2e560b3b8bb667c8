package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.egress.TestIdentity;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.ServiceProcess;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * JupyterLab from PyPI and code-server from npm in pods of a real kubelet, in a real Chromium
 * ({@code FAIRLEAD_BROWSER}), through two processes of the service behind one address.
 */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealNotebooksIT {
  private static final String BROWSER = System.getenv("FAIRLEAD_BROWSER");
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int CANNOT_BE_INSTALLED = 3;
  private static final int FLOOD = 40;

  @TempDir private static Path files;
  @TempDir private static Path keys;
  private static final List<AutoCloseable> OPENED = new ArrayList<>();
  private static EmbeddedDatabase database;
  private static CuttableProxy address;
  private static ServiceProcess first;
  private static ServiceProcess second;
  private static RealFairlead real;
  private static Http http;
  private static Chromium browser;
  private static List<String> programs;

  @BeforeAll
  static void twoReplicasAndANode() throws Exception {
    assumeThat(BROWSER).as("FAIRLEAD_BROWSER, as make test-realnode sets it").isNotNull();
    programs = programs();
    RealNodes.Cluster cluster = RealNodes.withScheduler();
    cluster.up("real-0", 1);
    cluster.plane().applies("deploy/cluster-exec.yaml");
    database = opened(MigratedDatabase.start());
    address = opened(CuttableProxy.to(1));
    first = replica("first");
    first.awaitReady(RealFairlead.PATIENCE);
    address.lead(first.address().getPort());
    second = replica("second");
    second.awaitReady(RealFairlead.PATIENCE);
    CuttableProxy callback = callback(cluster);
    http = new Http("http://127.0.0.1:" + address.port());
    real =
        RealFairlead.at(
            http, "real", cluster, "https://fairlead.default.svc.cluster.local:" + callback.port());
    real.awaitOfferedGpus("real-0", 1);
    real.reach(real.submit("", "print('makes the namespace')"), "SUCCEEDED");
    real.claim("programs", Path.of(programs.getFirst()).getParent());
    real.claim("files", files);
    // pods run as another user
    Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createDirectories(files.resolve("bin"));
    executable("nvidia-smi", "echo 0");
    Files.write(
        files.resolve("bin/ca.pem"), Base64.getDecoder().decode(TestIdentity.certificate()));
    browser = opened(Chromium.start(BROWSER, keys.resolve("profile")));
  }

  @AfterAll
  static void end() throws Exception {
    for (AutoCloseable one : OPENED.reversed()) {
      one.close();
    }
  }

  private static <T extends AutoCloseable> T opened(T one) {
    OPENED.add(one);
    return one;
  }

  /** Directories of packages for Debian's Python and of programs, below one directory. */
  private static List<String> programs() throws IOException, InterruptedException {
    Process install =
        new ProcessBuilder(ROOT.resolve("tools/suites/notebooks").toString(), "programs")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output =
        new String(install.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int code = install.waitFor();
    assumeThat(code).as(output).isNotEqualTo(CANNOT_BE_INSTALLED);
    assertThat(code).as(output).isZero();
    return output.lines().toList();
  }

  private static ServiceProcess replica(String name) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("spring.datasource.url", database.url());
    settings.put("spring.datasource.username", database.user());
    settings.put("spring.datasource.password", database.password());
    settings.put("fairlead.key-file", keys.resolve("key").toString());
    settings.put("fairlead.egress.allow", "127.0.0.0/8");
    settings.put("fairlead.sessions.url", "http://sessions.localhost:" + address.port());
    TreeMap<String, String> environment = new TreeMap<>();
    environment.put("SPRING_APPLICATION_JSON", MAPPER.writeValueAsString(settings));
    return opened(
        ServiceProcess.start(
            new ServiceSettings(
                System.getProperty("java.class.path"),
                ServiceSettings.QUICK,
                environment,
                LoopbackPorts.any(),
                keys.resolve(name + ".log"))));
  }

  /** The address at which pods report, by TLS. */
  private static CuttableProxy callback(RealNodes.Cluster cluster) throws IOException {
    CuttableProxy door =
        opened(
            CuttableProxy.behind(
                TestIdentity.server()
                    .getServerSocketFactory()
                    .createServerSocket(0, 50, InetAddress.getByName(cluster.address())),
                address.port()));
    cluster
        .plane()
        .apply(
            """
            apiVersion: v1
            kind: Service
            metadata: {name: fairlead, namespace: default}
            spec: {clusterIP: None, ports: [{port: %1$d}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: fairlead, namespace: default, labels: {kubernetes.io/service-name: fairlead}}
            addressType: IPv4
            endpoints: [{addresses: [%2$s]}]
            ports: [{port: %1$d, protocol: TCP}]
            """
                .formatted(door.port(), cluster.address()));
    return door;
  }

  private static void executable(String name, String script) throws IOException {
    Path file = files.resolve("bin").resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    assertThat(file.toFile().setExecutable(true, false)).as("for the user of pods").isTrue();
  }

  private static String inPod(int program) {
    Path directory = Path.of(programs.get(program));
    return "/programs/" + Path.of(programs.getFirst()).getParent().relativize(directory);
  }

  private static String submit(String name, String fields) {
    String site = inPod(0);
    Map<String, String> env =
        Map.of(
            "PATH",
            inPod(1) + ":" + inPod(2) + ":/files/bin:/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH",
            site,
            "JUPYTER_PATH",
            site + "/share/jupyter",
            "JUPYTER_CONFIG_PATH",
            site + "/etc/jupyter",
            "JUPYTERLAB_DIR",
            site + "/share/jupyter/lab",
            "SSL_CERT_FILE",
            "/files/bin/ca.pem",
            "HOME",
            "/tmp",
            "SESSION_FOLDER",
            "/files");
    Http.Answer made =
        http.yaml(
            "/api/v1/projects/default/jobs",
            """
            name: %s
            image: localhost/job:1
            cpu: 500m
            memory: 2Gi
            shm: 64Mi
            env: %s
            volumes: [{claim: programs, mountPath: /programs, readOnly: true}, {claim: files, mountPath: /files}]
            %s
            """
                .formatted(name, MAPPER.writeValueAsString(env), fields));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + made.json().get("id").asString();
    real.awaitLog(job, "worker-0", "session: ready");
    return job;
  }

  private static URI link(String job) {
    Http.Answer link = http.send("POST", job + "/session-links", null);
    assertThat(link.status()).as(link.body()).isEqualTo(201);
    return URI.create(link.json().get("url").asString());
  }

  /** Opens JupyterLab. */
  private static void openLab(String job) {
    browser.open(link(job).toString());
    browser.until("globalThis.jupyterapp");
    browser.evaluate("jupyterapp.restored.then(() => true)");
  }

  /** The output of code in the kernel of the notebook. */
  private static String ran(String code) {
    return browser
        .evaluate(
            """
            (async () => {
              const future = panel.sessionContext.session.kernel.requestExecute({ code: `%s` });
              let text = '';
              future.onIOPub = ({ header, content }) => header.msg_type === 'stream' && (text += content.text);
              await future.done;
              return text;
            })()
            """
                .formatted(code))
        .asString();
  }

  /**
   * Fails when a page does not reconnect to its kernel after its replica was killed, a flood of
   * WebSockets cuts it off, an idle session keeps its GPU, or a resumed session has lost files.
   */
  @Test
  void notebookSurvivesItsReplicaAndAFloodAndResumesWithItsFiles() throws IOException {
    String job =
        submit(
            "eda",
            """
            gpu: 1
            launcher: jupyter
            run: [python3, -m, jupyterlab, --allow-root, --expose-app-in-browser]
            progress: {timeout: 1m, onTimeout: SUSPEND}
            """);
    openLab(job);
    browser.evaluate(
        """
        (async () => {
          globalThis.panel = await jupyterapp.commands.execute('notebook:create-new', { kernelName: 'python3' });
          await panel.context.ready;
          await panel.sessionContext.ready;
          panel.content.model.sharedModel.insertCell(0, { cell_type: 'code', source: 'x = 41' });
          await panel.context.save();
          globalThis.statuses = [];
          panel.sessionContext.session.kernel.connectionStatusChanged.connect((_, status) => statuses.push(status));
        })()
        """);
    assertThat(ran("x = 41; print(x)")).isEqualTo("41\n");

    long killed = System.nanoTime();
    ProcessHandle.of(first.pid()).orElseThrow().destroyForcibly();
    address.lead(second.address().getPort());
    browser.until("statuses.includes('connecting') && statuses.at(-1) === 'connected'");
    assertThat(ran("print(x + 1)")).as("the kernel from before the kill").isEqualTo("42\n");
    System.out.printf(
        "notebooks: the kernel of JupyterLab is connected again %d ms after the kill%n",
        since(killed));

    flood(job);
    assertThat(ran("print(x + 2)")).as("during and after the flood").isEqualTo("43\n");
    othersAreRejected(job);

    browser.leave();
    await()
        .atMost(RealFairlead.PATIENCE)
        .untilAsserted(() ->
            assertThat(http.get(job).json().get("state").asString())
                .as("%s%n%s", http.get(job).body(), real.log(job, "worker-0"))
                .isEqualTo("SUSPENDED"));
    assertThat(real.facts(job, "AttemptIdleReclaimed")).isNotEmpty();
    await()
        .atMost(RealFairlead.PATIENCE)
        .until(() -> http.get(job).json().at("/gpus/allocated").asInt(-1) == 0);

    long resumed = System.nanoTime();
    assertThat(http.json(job + "/resume", "").status()).isEqualTo(200);
    real.awaitAttempt(job, 2, "RUNNING");
    real.awaitLog(job, "worker-0", "session: ready");
    System.out.printf("notebooks: JupyterLab is ready %d ms after the resume%n", since(resumed));
    openLab(job);
    assertThat(
            browser
                .evaluate(
                    "jupyterapp.serviceManager.contents.get('Untitled.ipynb', { content: true })"
                        + ".then(({ content }) => JSON.stringify(content.cells))")
                .asString())
        .contains("x = 41");
    browser.leave();
    real.cancel(job);
    real.reach(job, "CANCELLED");
  }

  private static long since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }

  /** WebSockets of one more page, beyond its bound. */
  private static void flood(String job) throws IOException {
    String kernel =
        browser
            .evaluate(
                "'/api/kernels/' + panel.sessionContext.session.kernel.id + '/channels?token='"
                    + " + jupyterapp.serviceManager.serverSettings.token")
            .asString();
    URI entry = link(job);
    RawBrowser more = new RawBrowser(http.base(), entry.getHost());
    String cookie =
        "Cookie: "
            + more.get(entry.getRawPath() + "?" + entry.getRawQuery())
                .header("set-cookie")
                .split(";", 2)[0];
    List<RawBrowser.Page> pages = new ArrayList<>();
    for (int i = 0; i < FLOOD; i++) {
      pages.add(more.page(kernel, cookie));
    }
    assertThat(pages).extracting(RawBrowser.Page::status).contains(101, 429).containsOnly(101, 429);
    assertThat(ran("print(x)")).isEqualTo("41\n");
    for (RawBrowser.Page page : pages) {
      page.close();
    }
  }

  private static void othersAreRejected(String job) {
    http.yaml("/api/v1/tenants", "{name: rival}");
    JsonNode token =
        http.yaml(
                "/api/v1/tokens",
                "{name: t, user: eve, role: tenant-owner}",
                "Fairlead-Tenant",
                "rival")
            .json();
    String bearer = "Bearer " + token.get("token").asString();
    Http.Answer refused = http.send("POST", job + "/session-links", null, "Authorization", bearer);
    assertThat(refused.status()).as(refused.body()).isEqualTo(404);
    RawBrowser stranger = new RawBrowser(http.base(), link(job).getHost());
    assertThat(stranger.get("/lab", "Authorization: " + bearer).status()).isEqualTo(401);
  }

  /** Fails when VS Code does not open in the folder of the session. */
  @Test
  void vsCodeShowsTheFilesOfItsVolume() throws IOException {
    Files.writeString(files.resolve("kept.py"), "print('kept')\n");
    String job = submit("code", "launcher: code-server\nrun: [code-server]");
    browser.open(link(job).toString());
    browser.shows(".explorer-viewlet", "kept.py");
    browser.leave();
    real.cancel(job);
    real.reach(job, "CANCELLED");
  }
}
