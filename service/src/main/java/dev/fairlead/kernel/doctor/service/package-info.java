/** Runs the diagnosis of each part of the service. */
@NullMarked
package dev.fairlead.kernel.doctor.service;

import org.jspecify.annotations.NullMarked;
