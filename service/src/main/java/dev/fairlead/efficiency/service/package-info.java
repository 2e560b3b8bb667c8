/** Says which jobs do not use their GPUs. */
@NullMarked
package dev.fairlead.efficiency.service;

import org.jspecify.annotations.NullMarked;
