/** Asks each part of the service what is wrong with it. */
@NullMarked
package dev.fairlead.kernel.doctor.service;

import org.jspecify.annotations.NullMarked;
