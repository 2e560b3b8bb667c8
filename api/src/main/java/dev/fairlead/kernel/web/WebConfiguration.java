package dev.fairlead.kernel.web;

import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.errors.ProblemValve;
import java.util.List;
import org.apache.catalina.core.StandardHost;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.ApiVersionConfigurer;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Configures the parts that every endpoint shares: versions from the path, strict bodies, known
 * parameters, Tomcat's own errors.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(VersionController.Settings.class)
public class WebConfiguration implements WebMvcConfigurer {
  private static final int VERSION_SEGMENT = 1;

  @Override
  public void configureApiVersioning(ApiVersionConfigurer versions) {
    versions
        .usePathSegment(VERSION_SEGMENT, path -> path.value().startsWith("/api/"))
        .setVersionRequired(false)
        .detectSupportedVersions(true);
  }

  @Override
  public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
    converters.addCustomConverter(new BodyConverter());
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(new ParameterGuard());
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new WriteOptionsResolver());
  }

  /** Refusals of Tomcat become problem documents. The firewall handles an encoded slash. */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> tomcat() {
    return factory -> {
      factory.addConnectorCustomizers(connector ->
          connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue()));
      factory.addContextCustomizers(context -> {
        if (context.getParent() instanceof StandardHost host) {
          host.setErrorReportValveClass(ProblemValve.class.getName());
        }
      });
    };
  }
}
