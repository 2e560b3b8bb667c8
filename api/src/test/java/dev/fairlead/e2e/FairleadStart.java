package dev.fairlead.e2e;

import dev.fairlead.FairleadApplication;
import org.springframework.aot.AotDetector;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.core.SpringProperties;
import org.springframework.util.ClassUtils;

/**
 * The application as the image starts it: from the definitions of beans that {@code
 * tools/dist/prepare} wrote down, where the suite put them on the class path. Without them it scans
 * for its beans, as in a work tree.
 */
public final class FairleadStart {
  private static final boolean PREPARED =
      ClassUtils.isPresent(
          FairleadApplication.class.getName() + "__ApplicationContextInitializer",
          FairleadStart.class.getClassLoader());

  private FairleadStart() {}

  public static SpringApplicationBuilder application() {
    // a start with a property that changes the set of beans clears the flag for the whole process
    SpringProperties.setProperty(AotDetector.AOT_ENABLED, Boolean.toString(PREPARED));
    return new SpringApplicationBuilder(FairleadApplication.class).main(FairleadApplication.class);
  }
}
