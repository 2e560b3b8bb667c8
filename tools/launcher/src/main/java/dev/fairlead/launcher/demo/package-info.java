/** Demonstrations: jobs, tenants, a model service and a training run on demo clusters. */
@NullMarked
package dev.fairlead.launcher.demo;

import org.jspecify.annotations.NullMarked;
