package dev.fairlead.work.job.web;

import dev.fairlead.kernel.web.Page;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Launchers that jobs can name. */
@RestController
@RequestMapping("/api/v1")
@Tag(name = "Service")
class LauncherController {
  /**
   * A launcher of this installation.
   *
   * @param name name for the field {@code launcher} of jobs
   * @param description description of the processes that it starts
   * @param wrapper arguments before the job's own command
   * @param elastic whether the gang may change its size
   * @param gangRepair whether Fairlead may replace one member of a gang
   * @param roles allowed names of roles, empty to allow every name
   * @param variables variables that the launcher sets in a gang of fixed size
   */
  record LauncherResponse(
      String name,
      String description,
      List<String> wrapper,
      boolean elastic,
      boolean gangRepair,
      List<String> roles,
      List<String> variables) {
    static LauncherResponse of(Launcher launcher) {
      return new LauncherResponse(
          launcher.name(),
          launcher.description(),
          launcher.wrapper(),
          launcher.resizes(),
          launcher.repairs(),
          List.copyOf(launcher.roles()),
          List.copyOf(launcher.env().keySet()));
    }
  }

  @Operation(
      operationId = "listLaunchers",
      summary = "List launchers",
      description =
          "Lists the launchers that a job can name. A launcher starts the processes of the"
              + " members and sets the environment variables that let them find each other. An"
              + " operator can add launchers.")
  @GetMapping("/launchers")
  Page<LauncherResponse> launchers() {
    return Page.whole(Launchers.all().stream().map(LauncherResponse::of).toList());
  }
}
