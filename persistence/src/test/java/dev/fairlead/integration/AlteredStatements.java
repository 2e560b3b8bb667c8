package dev.fairlead.integration;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Replaces statements of the module, for example by ones without a lock. */
record AlteredStatements(UnaryOperator<String> altered) implements BeanPostProcessor {
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return bean instanceof DataSource pool ? new Altering(pool, altered) : bean;
  }

  private static final class Altering extends DelegatingDataSource {
    private final UnaryOperator<String> altered;

    Altering(DataSource pool, UnaryOperator<String> altered) {
      super(pool);
      this.altered = altered;
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection real = super.getConnection();
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, method, arguments) -> {
                if (method.getName().equals("prepareStatement")) {
                  arguments[0] = altered.apply((String) arguments[0]);
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException failed) {
                  throw failed.getCause();
                }
              });
    }
  }
}
