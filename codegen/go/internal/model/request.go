package model

// Request says which packages are read and what becomes of them.
type Request struct {
	Modules []ModuleRequest `json:"modules"`
	// Features is the package that lists the Gateway API's features.
	Features string `json:"features,omitempty"`
	// Bundle is the package that says which release of the Gateway API this is.
	Bundle string `json:"bundle,omitempty"`
	// Overlay is a folder, below that of the go.mod, with what the Gateway API's types have more.
	Overlay string `json:"overlay,omitempty"`
	// Open lets every package that types reach become a module by itself.
	Open bool `json:"open,omitempty"`
	// LenientMarkers takes markers without effect for warnings.
	LenientMarkers bool `json:"lenientMarkers,omitempty"`
	// Scalars is the module that holds types with a JSON form of their own, such as Time and Quantity.
	Scalars string `json:"scalars"`
}

// ModuleRequest is one module to be.
type ModuleRequest struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Group is the API group of a package whose sources do not say it.
	Group string `json:"group,omitempty"`
	// Roots are the types that are wanted, with all that they reach. Without roots, all exported types are.
	Roots []string `json:"roots,omitempty"`
	// Source is one of `gateway`, `gatewright` (kinds with a CRD) and `kubernetes`.
	Source string `json:"source"`
	// Channel is the lowest release channel of the Gateway API that carries the kinds of the module.
	Channel string `json:"channel,omitempty"`
	// Schemas are the kinds of a module of source `kubernetes` whose schema is wanted; other kinds always have one.
	Schemas []string `json:"schemas,omitempty"`
	// Kinds tells whether the objects of the module belong in the table of kinds.
	Kinds bool `json:"kinds"`
}

// Packages are the import paths to load.
func (r Request) Packages() []string {
	var paths []string
	for _, module := range r.Modules {
		paths = append(paths, module.Package)
	}
	for _, path := range []string{r.Features, r.Bundle} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// GatewayPackages are the import paths that differ between release channels of the Gateway API.
func (r Request) GatewayPackages() []string {
	var paths []string
	for _, module := range r.Modules {
		if module.Source == sourceGateway {
			paths = append(paths, module.Package)
		}
	}
	return paths
}
