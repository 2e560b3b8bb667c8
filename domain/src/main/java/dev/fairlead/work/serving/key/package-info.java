/** API keys of model services, their limits and their usage. */
@NullMarked
package dev.fairlead.work.serving.key;

import org.jspecify.annotations.NullMarked;
