package dev.fairlead.verify.load.replay;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.DemoFleet;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.verify.Report;
import java.io.UncheckedIOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** The service for the submits. */
record Target(FairleadApi api, @Nullable LocalFairlead own) implements AutoCloseable {
  private static final URI USUAL = URI.create("http://127.0.0.1:8080");

  /**
   * The service of {@code FAIRLEAD_URL}. Otherwise, the service that answers at 127.0.0.1:8080.
   * Otherwise, a new service, as in the demo.
   */
  static Target find(Report report) throws InterruptedException {
    String url = System.getenv("FAIRLEAD_URL");
    if (url != null && !url.isBlank()) {
      return new Target(new FairleadApi(URI.create(url.strip()), LocalFairlead.token()), null);
    }
    FairleadApi usual = new FairleadApi(USUAL, LocalFairlead.token());
    if (answers(usual)) {
      report.line("using the service at " + USUAL);
      return new Target(usual, null);
    }
    usual.close();
    report.line("starting a service with the log build/replay/service.log");
    LocalFairlead own = LocalFairlead.start("replay", ServiceSettings.QUICK);
    DemoFleet.read().register(own.api());
    return new Target(own.api(), own);
  }

  private static boolean answers(FairleadApi api) {
    try {
      return api.get("/clusters").path("items").isArray();
    } catch (UncheckedIOException | JacksonException e) {
      return false; // no service, or another one
    } catch (ApiRefusal refusal) {
      return !refusal.code().isEmpty(); // a Fairlead that requires authentication
    }
  }

  @Override
  public void close() {
    if (own == null) {
      api.close();
    } else {
      own.close();
    }
  }
}
