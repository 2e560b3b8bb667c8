/** Reports jobs that do not use their GPUs. */
@NullMarked
package dev.fairlead.money.efficiency.service;

import org.jspecify.annotations.NullMarked;
