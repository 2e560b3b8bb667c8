package dev.fairlead.e2e;

import static org.awaitility.Awaitility.await;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.imageio.ImageIO;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One tab of a headless Chromium, driven by the Chrome DevTools Protocol. */
final class Chromium implements AutoCloseable, WebSocket.Listener {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String BLANK = "about:blank";
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private final Process process;
  private final WebSocket socket;
  private final AtomicInteger last = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
  private final StringBuilder partial = new StringBuilder();
  private volatile Intercepted intercepted = url -> PASSED;
  private volatile CompletableFuture<Void> left = new CompletableFuture<>();

  private Chromium(Process process, URI tab) {
    this.process = process;
    this.socket = CLIENT.newWebSocketBuilder().buildAsync(tab, this).join();
  }

  /** Starts the browser with a separate profile. */
  static Chromium start(String program, Path profile) {
    try {
      Process process =
          new ProcessBuilder(
                  program,
                  "--headless",
                  "--no-sandbox", // its sandbox needs privileges that a container does not have
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  // a page that is not closed retains its WebSockets
                  "--disable-features=BackForwardCache",
                  "--no-first-run",
                  "--disable-background-networking",
                  "--remote-debugging-port=0",
                  "--window-size=1440,900",
                  "--user-data-dir=" + profile)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      Path port = profile.resolve("DevToolsActivePort");
      await().atMost(PATIENCE).until(() -> Files.exists(port) && Files.size(port) > 0);
      String base = "http://127.0.0.1:" + Files.readAllLines(port).getFirst();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(base + "/json/new?about:blank"))
              .PUT(HttpRequest.BodyPublishers.noBody())
              .build();
      String tab = CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
      JsonNode opened = MAPPER.readTree(tab);
      Chromium browser =
          new Chromium(process, URI.create(opened.get("webSocketDebuggerUrl").asString()));
      for (String domain : List.of("Runtime", "Log", "Page")) {
        browser.call(domain + ".enable", MAPPER.createObjectNode());
      }
      return browser;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Loads a page, even if only its fragment differs from the current page. */
  void open(String address) {
    leave();
    call("Page.navigate", MAPPER.createObjectNode().put("url", address));
  }

  /**
   * Leaves the page, which closes its WebSockets. Chromium does not answer a navigation that begins
   * while it unloads a page.
   */
  void leave() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    left = done;
    call("Page.navigate", MAPPER.createObjectNode().put("url", BLANK));
    done.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  void size(int width, int height) {
    ObjectNode screen = MAPPER.createObjectNode().put("width", width).put("height", height);
    call(
        "Emulation.setDeviceMetricsOverride",
        screen.put("deviceScaleFactor", 1).put("mobile", false));
  }

  /** The colours that the user prefers: light or dark. */
  void scheme(String name) {
    ObjectNode media = MAPPER.createObjectNode();
    media.putArray("features").addObject().put("name", "prefers-color-scheme").put("value", name);
    call("Emulation.setEmulatedMedia", media);
  }

  /** The visible part of the page. */
  BufferedImage picture() {
    JsonNode shot = call("Page.captureScreenshot", MAPPER.createObjectNode().put("format", "png"));
    byte[] png = Base64.getDecoder().decode(shot.get("data").asString());
    try {
      return ImageIO.read(new ByteArrayInputStream(png));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets scripts of tests run in a page whose policy forbids them. */
  void bypassPolicy() {
    call("Page.setBypassCSP", MAPPER.createObjectNode().put("enabled", true));
  }

  /** The status of an answer to an address, {@link #PASSED} or {@link #HELD} without an answer. */
  @FunctionalInterface
  interface Intercepted {
    int status(String url);
  }

  static final int PASSED = 0;
  static final int HELD = -1;

  /** Answers requests to the API instead of the service, from now on. */
  void intercept(Intercepted by) {
    intercepted = by;
    ObjectNode all = MAPPER.createObjectNode();
    all.putArray("patterns").addObject().put("urlPattern", "*api?v1?*");
    call("Fetch.enable", all);
  }

  /** All requests reach the service again. */
  void passAll() {
    intercepted = url -> PASSED;
    call("Fetch.disable", MAPPER.createObjectNode());
  }

  private void paused(JsonNode request) {
    int status = intercepted.status(request.at("/request/url").asString());
    ObjectNode answer = MAPPER.createObjectNode();
    answer.put("requestId", request.get("requestId").asString());
    if (status == PASSED) {
      tell("Fetch.continueRequest", answer);
    } else if (status != HELD) {
      String body = "{\"title\": \"Away\", \"detail\": \"The database is away.\"}";
      answer.put("responseCode", status);
      answer.put("body", Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8)));
      tell("Fetch.fulfillRequest", answer);
    }
  }

  /** A key, as a keyboard sends it: one letter, or a name such as ArrowRight. */
  void press(String key) {
    ObjectNode event = MAPPER.createObjectNode().put("key", key);
    if (key.length() == 1) {
      event.put("text", key);
    }
    switch (key) {
      case "Tab" -> event.put("windowsVirtualKeyCode", 9);
      case "Enter" -> event.put("windowsVirtualKeyCode", 13).put("text", "\r");
      case "Escape" -> event.put("windowsVirtualKeyCode", 27);
      default -> {} // the page reads the name of other keys
    }
    call("Input.dispatchKeyEvent", event.put("type", "keyDown"));
    call("Input.dispatchKeyEvent", event.put("type", "keyUp"));
  }

  /** Evaluates an expression in the page, awaiting a promise. */
  JsonNode evaluate(String expression) {
    JsonNode result =
        call(
            "Runtime.evaluate",
            MAPPER
                .createObjectNode()
                .put("expression", expression)
                .put("awaitPromise", true)
                .put("returnByValue", true));
    if (result.has("exceptionDetails")) {
      throw new IllegalStateException(result.get("exceptionDetails").toString());
    }
    return result.at("/result/value");
  }

  /** Fills a field, as typing does. */
  void type(String selector, String text) {
    evaluate(
        "{ const field = document.querySelector('%s'); field.value = '%s'; field.dispatchEvent(new Event('input')) }"
            .formatted(selector, text));
  }

  /** The number of elements. */
  int count(String selector) {
    return evaluate("document.querySelectorAll('" + selector + "').length").asInt();
  }

  /** Waits until an expression is true. */
  void until(String expression) {
    await(expression).atMost(PATIENCE).until(() -> evaluate("!!(" + expression + ")").asBoolean());
  }

  /** Waits until the answer of a request has arrived whose address contains the text. */
  void read(String part) {
    until(
        "performance.getEntriesByType('resource').some(r => r.responseEnd && r.name.includes('"
            + part
            + "'))");
  }

  /** Waits until the text of an element contains the given one. */
  void shows(String selector, String text) {
    String found = "[...document.querySelectorAll(%s)].map(e => e.innerText).join('\\n')";
    String all = found.formatted(MAPPER.writeValueAsString(selector));
    await(selector + " shows " + text)
        .atMost(PATIENCE)
        .until(() -> evaluate(all).asString(""), shown -> shown.contains(text));
  }

  /** Errors and policy violations that the browser has logged since the last call. */
  List<String> complaints() {
    synchronized (complaints) {
      List<String> all = List.copyOf(complaints);
      complaints.clear();
      return all;
    }
  }

  private JsonNode call(String method, ObjectNode parameters) {
    return tell(method, parameters).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Sends an order. The next message may arrive before its answer. */
  private synchronized CompletableFuture<JsonNode> tell(String method, ObjectNode parameters) {
    int id = last.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    ObjectNode message = MAPPER.createObjectNode().put("id", id).put("method", method);
    message.set("params", parameters);
    socket.sendText(message.toString(), true).join();
    return answer;
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean complete) {
    partial.append(data);
    if (complete) {
      JsonNode message = MAPPER.readTree(partial.toString());
      partial.setLength(0);
      take(message);
    }
    from.request(1);
    return CompletableFuture.completedStage(null);
  }

  private void take(JsonNode message) {
    if (message.has("id")) {
      waiting.remove(message.get("id").asInt()).complete(message.path("result"));
      return;
    }
    JsonNode details = message.path("params");
    switch (message.get("method").asString()) {
      case "Fetch.requestPaused" -> paused(details);
      case "Page.frameNavigated" -> {
        if (details.at("/frame/url").asString("").equals(BLANK)) {
          left.complete(null);
        }
      }
      case "Runtime.exceptionThrown" -> complaints.add(details.toString());
      case "Log.entryAdded" -> {
        if (details.at("/entry/level").asString("").equals("error")) {
          complaints.add(
              details.at("/entry/text").asString("") + " " + details.at("/entry/url").asString(""));
        }
      }
      default -> {} // other events report how the page loads
    }
  }

  @Override
  public void close() {
    socket.abort();
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
