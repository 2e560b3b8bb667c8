package dev.fairlead.kernel.console.web;

import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Serves the modules and the stylesheet of the console, each at an address with its version. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ConsoleSettings.class, ConsoleSignIn.class})
class ConsoleConfiguration {
  private static final CacheControl FOREVER =
      CacheControl.maxAge(Duration.ofDays(365)).cachePublic().immutable();

  @Bean
  ConsoleFiles consoleFiles() {
    return ConsoleFiles.read();
  }

  @Bean
  WebMvcConfigurer consoleResources(ConsoleSettings settings, ConsoleFiles files) {
    return new WebMvcConfigurer() {
      @Override
      public void addResourceHandlers(ResourceHandlerRegistry registry) {
        if (!settings.enabled()) {
          return;
        }
        registry
            .addResourceHandler(ConsoleController.PATH + files.digest() + "/*")
            .addResourceLocations("classpath:/" + ConsoleFiles.FOLDER)
            .setCacheControl(FOREVER);
        for (String library : ConsoleFiles.LIBRARIES) {
          registry
              .addResourceHandler(ConsoleController.PATH + "lib/" + library + "/**")
              .addResourceLocations("classpath:/META-INF/resources/webjars/" + library + "/")
              .setCacheControl(FOREVER);
        }
      }
    };
  }
}
