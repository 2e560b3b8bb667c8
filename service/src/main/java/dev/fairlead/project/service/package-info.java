/** Use cases of projects. */
@NullMarked
package dev.fairlead.project.service;

import org.jspecify.annotations.NullMarked;
