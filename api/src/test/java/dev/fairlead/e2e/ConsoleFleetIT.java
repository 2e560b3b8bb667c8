package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The console of a service with 100,000 jobs and 12,500 nodes of 8 GPUs. It prints its figures. */
@Tag("long")
class ConsoleFleetIT {
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final List<Integer> NODES = List.of(7_500, 5_000);
  private static final int BATCH = 1_000;
  private static final int BATCHES = 100;
  private static final int LONGEST_PAINT_MS = 2_000;
  private static final double LONGEST_FRAME_MS = 50;

  @TempDir private static Path profile;
  private static ConsoleScene scene;
  private static Chromium browser;

  @BeforeAll
  static void start() {
    scene = ConsoleScene.start(profile);
    browser = scene.browser();
    NODES.forEach(ConsoleFleetIT::cluster);
    for (int batch = 0; batch < BATCHES; batch++) {
      submit(batch);
    }
  }

  private static void cluster(int nodes) {
    Http.Answer made =
        scene
            .http()
            .yaml(
                "/api/v1/clusters",
                "{name: big-%1$d, kind: SIMULATED, fleet: [{nodes: %1$d, gpusPerNode: 8, model: H100, blocks: 25, racksPerBlock: 16}]}"
                    .formatted(nodes));
    assertThat(made.status()).as(made.body()).isLessThan(300);
    String path = "/api/v1/clusters/big-" + nodes;
    await()
        .atMost(PATIENCE)
        .until(() -> scene.http().get(path).json().path("nodes").asInt(0) == nodes);
  }

  @AfterAll
  static void end() {
    if (scene != null) {
      scene.close();
    }
  }

  /** Jobs whose start is years away: they wait, and no cluster simulates them. */
  private static void submit(int batch) {
    String jobs =
        IntStream.range(0, BATCH)
            .mapToObj(
                "{name: j%d-%%d, image: train, gpu: 1, notBefore: '2190-01-01T00:00:00Z'}"
                        .formatted(batch)
                    ::formatted)
            .collect(Collectors.joining(", "));
    Http.Answer made =
        scene.http().yaml("/api/v1/projects/default/jobs/batch", "{items: [" + jobs + "]}");
    assertThat(made.status()).as(made.body()).isLessThan(300);
  }

  private static int shownAfter(String hash, String selector) {
    scene.open(hash);
    browser.until("document.querySelector('" + selector + "')");
    return browser.evaluate("Math.round(performance.now())").asInt();
  }

  /** Fails when the first page of many jobs is not shown. */
  @Test
  void firstOfAHundredThousandJobsAreShown() {
    int first = shownAfter("#/jobs", "fl-jobs tbody tr");
    int again = shownAfter("#/jobs", "fl-jobs tbody tr");
    int paint =
        ConsoleScene.firstPaint(
            browser, scene.http().base() + "/console/#/jobs", "fl-jobs tbody tr");
    browser.shows("fl-jobs .tabs", String.valueOf(BATCH * BATCHES));
    System.out.printf(
        "console: with %d jobs and %d nodes, first contentful paint after %d ms, rows after %d ms (%d ms at the first visit)%n",
        BATCH * BATCHES, NODES.stream().mapToInt(nodes -> nodes).sum(), paint, again, first);
    assertThat(paint).isLessThan(LONGEST_PAINT_MS);
  }

  /** Fails when the longest list of the page cannot be scrolled. */
  @Test
  void fiveHundredJobsAreScrolled() {
    shownAfter("#/jobs", "fl-jobs tbody tr");
    for (int rows = 100; rows <= 500; rows += 50) {
      browser.evaluate("document.querySelector('fl-jobs .more').click()");
      browser.until("document.querySelectorAll('fl-jobs tbody tr').length >= " + rows);
    }
    JsonNode frames =
        browser.evaluate(
            """
            (async () => {
              const tasks = [], frames = [];
              new PerformanceObserver((list) => list.getEntries().forEach((e) => tasks.push(e.duration)))
                .observe({ type: 'longtask' });
              for (let step = 0, last = performance.now(); step < 400; step++) {
                scrollBy(0, step < 200 ? 100 : -100);
                await new Promise(requestAnimationFrame);
                frames.push(performance.now() - last);
                last = performance.now();
              }
              frames.sort((a, b) => a - b);
              return { p99: frames[395], longest: frames[399], tasks: tasks.length, height: document.documentElement.scrollHeight };
            })()
            """);
    System.out.printf(
        "console: frames while scrolling 500 of %d jobs (%d pixels) take at most %.1f ms (p99 %.1f ms); %d tasks over 50 ms%n",
        BATCH * BATCHES,
        frames.get("height").asInt(),
        frames.get("longest").asDouble(),
        frames.get("p99").asDouble(),
        frames.get("tasks").asInt());
    assertThat(frames.get("p99").asDouble()).isLessThan(LONGEST_FRAME_MS);
  }

  /** Fails when the map of a large fleet is incomplete, or cannot be scrolled. */
  @Test
  void theMapOfAHundredThousandGpusIsScrolledAndZoomed() {
    int shown = shownAfter("#/map", "fl-map-canvas canvas");
    browser.shows("fl-map", "12,500 nodes, 100,000 GPUs");
    int whole = browser.evaluate("Math.round(performance.now())").asInt();
    JsonNode frames =
        browser.evaluate(
            """
            (async () => {
              const map = document.querySelector('fl-map-canvas');
              const next = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
              const scrolls = [], zooms = [], tasks = [];
              new PerformanceObserver((list) => list.getEntries().forEach((e) => tasks.push(e.duration)))
                .observe({ type: 'longtask' });
              for (const step of [0, 1, 1, 1, 1, 1, 1, -1, -1, -1, 0]) {
                const begin = performance.now();
                map.zoom(step);
                const planned = performance.now() - begin;
                await next();
                zooms.push(planned + map.drawn);
                for (let frame = 0; frame < 30; frame++) {
                  map.view.scrollTop += 60;
                  await next();
                  scrolls.push(map.drawn);
                }
              }
              const figures = (all) => {
                all.sort((a, b) => a - b);
                return [all[Math.floor(all.length / 2)], all[Math.floor(all.length * 0.99)], all.at(-1)].map((ms) => ms.toFixed(1)).join('/');
              };
              return { scrolls: figures(scrolls), p99: scrolls[Math.floor(scrolls.length * 0.99)], zooms: figures(zooms), tasks: tasks.length, longest: Math.max(0, ...tasks) };
            })()
            """);
    System.out.printf(
        "console: the map of 100,000 GPUs begins after %d ms and is whole after %d ms; frames while scrolling take %s ms, while zooming %s ms (median/p99/longest); %d tasks over 50 ms, the longest %d ms%n",
        shown,
        whole,
        frames.get("scrolls").asString(),
        frames.get("zooms").asString(),
        frames.get("tasks").asInt(),
        Math.round(frames.get("longest").asDouble()));
    assertThat(frames.get("p99").asDouble()).as("frames").isLessThan(LONGEST_FRAME_MS);
    assertThat(browser.complaints()).isEmpty();
  }
}
