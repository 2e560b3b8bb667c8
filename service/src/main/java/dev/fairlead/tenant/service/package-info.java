/** Use cases of projects. */
@NullMarked
package dev.fairlead.tenant.service;

import org.jspecify.annotations.NullMarked;
