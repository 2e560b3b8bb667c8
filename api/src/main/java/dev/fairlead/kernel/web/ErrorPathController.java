package dev.fairlead.kernel.web;

import dev.fairlead.kernel.errors.HttpStatusProblem;
import dev.fairlead.kernel.errors.ProblemWriter;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Returns problem documents for requests that failed before they reached a controller. */
@Hidden
@RestController
public class ErrorPathController implements ErrorController {
  @RequestMapping("/error")
  public void error(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    ProblemWriter.write(
        request, response, HttpStatusProblem.of(status instanceof Integer code ? code : 404));
  }
}
